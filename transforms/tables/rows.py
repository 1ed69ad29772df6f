"""The row types of all tables in one place."""

from transforms.tables.memory_tables import (
    ConfirmationRow,
    DistillateRow,
    MemoryLineRow,
    ProposalEventRow,
    ProposalRow,
    RelationRow,
    TombstoneRow,
)
from transforms.tables.run_tables import EmbeddingRow, ModelCallRow, PageRow, RunRow
from transforms.tables.session_tables import (
    EntryRow,
    ProjectRow,
    QuarantineRow,
    SessionRow,
    SketchRow,
    SourceRow,
    SpeakerPart,
)
from transforms.tables.task_tables import TaskDependency, TaskEventRow, TaskRow
from transforms.tables.window_tables import CoverageRow, ObservationRow, SegmentRow, WindowRow

__all__ = [
    "ConfirmationRow",
    "CoverageRow", "DistillateRow", "EmbeddingRow", "EntryRow", "MemoryLineRow", "ModelCallRow", "ObservationRow", "PageRow",
    "ProjectRow", "ProposalEventRow", "ProposalRow", "QuarantineRow", "RelationRow", "RunRow", "SegmentRow", "SessionRow",
    "SketchRow", "SourceRow", "SpeakerPart", "TaskDependency", "TaskEventRow", "TaskRow", "TombstoneRow", "WindowRow",
]  # fmt: skip
