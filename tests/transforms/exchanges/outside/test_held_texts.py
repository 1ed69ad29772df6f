"""A command line is told from what it holds, whatever quotations, shifts and comments stand in it."""

from __future__ import annotations

import time

from tests.each_case import each_case
from transforms.exchanges.outside.held_texts import split_held_texts


@each_case(
    ("command", "kept", "held"),
    [
        ("cat <<'EOF' > a && b\nit's\nEOF\nc", "cat <<'EOF' > a && b\nc", ["it's"]),
        ("a <<-X\n\tone\n\tX\nb <<\\Y\ntwo\nY", "a <<-X\nb <<\\Y", ["\tone", "two"]),
        ('git commit -m "$(cat <<EOF\nsay "it"\nEOF\n)" && b', 'git commit -m "$(cat <<EOF\n)" && b', ['say "it"']),
        ("a <<A <<B\n1\nA\n2\nB\nc", "a <<A <<B\nc", ["1", "2"]),
        ("echo 'a <<b'\nc\nb", "echo 'a <<b'\nc\nb", []),
        ('echo "a\n<<b"\nc\nb', 'echo "a\n<<b"\nc\nb', []),
        ("echo $((1<<20))\n20", "echo $((1<<20))\n20", []),
        ("echo $((a << b)) <<< c\nd", "echo $((a << b)) <<< c\nd", []),
        ("# it's\na # it's\nb '# c' d#e\n\nf", "a\nb '# c' d#e\n\nf", []),
        ("a <<X\r\none\r\nX\r\nb", "a <<X\r\nb", ["one\r"]),
    ],
)
def test_comments_and_held_lines_are_no_part_of_the_line(command: str, kept: str, held: list[str]) -> None:
    line, texts = split_held_texts(command)
    assert (line, [text.text for text in texts]) == (kept, held)
    assert all(line[text.place :].startswith("<<") for text in texts)


@each_case("line", ["a<<b " * 100_000, "cat <<E\nx\nE\n" * 40_000, "<<'" * 150_000, "$(" * 200_000, '"' + '\\"' * 200_000])
def test_half_a_megabyte_is_read_in_seconds(line: str) -> None:
    """One pass; the pattern of before took minutes."""
    start = time.process_time()
    split_held_texts(line)
    assert time.process_time() - start < 5
