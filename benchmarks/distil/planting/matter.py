"""Subjects of planted conversations: pieces of work, and rules, wishes, choices and corrections of people.

Written before looking at the cue lists of any engine. `keys` are groups of alternatives; a row states a fact when it holds
one of each group.
"""

from __future__ import annotations

from dataclasses import dataclass

Keys = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work: its place, the fault and its cause, a failed attempt, the change, and further wishes."""

    area: str
    path: str
    func: str
    symptom: str
    cause: str
    failed: str
    change: str
    wish: str
    task: str
    open_point: str
    left: str


@dataclass(frozen=True, slots=True)
class Matter:
    """Words for the slots of a phrasing, with the keys by which a row is recognised."""

    slots: dict[str, str]
    keys: Keys


WORKS: tuple[Work, ...] = (
    Work("the invoice export", "src/billing/invoice_export.py", "render_totals", "totals on the PDF are off by one cent",
         "`render_totals` rounds every line before it adds them up", "switching the template to Decimal",
         "`render_totals` adds the exact amounts and rounds once at the end", "a column with the tax rate in the invoice list",
         "add a currency switch to the invoice export", "whether refunds get an invoice number of their own",
         "the French translation of the invoice footer"),
    Work("the session store", "server/auth/session_store.ts", "touchSession", "people are logged out after a few minutes",
         "`touchSession` writes the new expiry to the replica, which throws it away", "a longer cookie lifetime",
         "`touchSession` writes to the primary and waits for it", "a page that lists my active devices",
         "let users name their devices in the session store", "if a password change should end every other session",
         "the migration of the old cookies"),
    Work("the image pipeline", "pipeline/thumbs.go", "ResizeBatch", "thumbnails of portrait photos lie on their side",
         "`ResizeBatch` strips the EXIF block before the rotation is read", "rotating in the viewer",
         "`ResizeBatch` reads the orientation first and strips the block afterwards", "a progress bar for large uploads",
         "write AVIF beside WebP in the image pipeline", "whether originals are kept for longer than the contract",
         "the cleanup of orphaned thumbnails"),
    Work("the search index", "search/indexer.rs", "flush_segment", "new articles cannot be found until the next restart",
         "`flush_segment` never tells the reader to reopen", "a shorter refresh interval",
         "`flush_segment` notifies the reader after every commit", "synonyms I can edit myself in the admin page",
         "support quoted phrases in the search index", "how we rank articles without a date",
         "stemming for Dutch"),
    Work("the calendar sync", "sync/calendar_pull.py", "merge_events", "recurring meetings show up twice after the clock change",
         "`merge_events` compares local times without their zone", "deduplicating by title",
         "`merge_events` compares instants in UTC", "a colour per calendar in the week view",
         "pull attachments in the calendar sync", "whether declined events are shown at all",
         "the retry of expired tokens"),
    Work("the price importer", "jobs/price_import.py", "parse_feed", "some products cost nothing after the nightly import",
         "`parse_feed` takes a missing price for zero", "rerunning the job in the morning",
         "`parse_feed` skips lines without a price and counts them", "a mail with the skipped lines every morning",
         "read the supplier's new XML feed in the price importer", "what to do with prices in Swiss francs",
         "the alert when a feed is empty"),
    Work("the chat widget", "web/widget/socket.ts", "reconnectLater", "the widget hammers the server after a deploy",
         "`reconnectLater` resets its delay on every attempt", "a rate limit at the proxy",
         "`reconnectLater` keeps doubling its delay up to a minute", "a small sound when an answer arrives",
         "show typing indicators in the chat widget", "whether guests may upload files",
         "dark mode of the emoji picker"),
    Work("the backup job", "ops/backup/rotate.sh", "rotate_weekly", "the disk fills up although old backups are rotated",
         "`rotate_weekly` deletes the link and leaves the archive behind it", "a bigger volume",
         "`rotate_weekly` resolves links before it deletes", "a line per backup on the status page",
         "encrypt the archives of the backup job", "which of us holds the second key",
         "the restore drill on a clean machine"),
    Work("the report builder", "reports/builder.kt", "groupByWeek", "the first week of January is missing from the yearly report",
         "`groupByWeek` counts weeks by the calendar year and not by the week year", "sorting after the grouping",
         "`groupByWeek` uses the week-based year", "a button that copies a chart as PNG",
         "let the report builder group by quarter", "if managers may see single persons",
         "the totals row of empty reports"),
    Work("the job scheduler", "core/scheduler.ex", "claim_next", "two nodes sometimes run the same job",
         "`claim_next` reads and updates in two statements without a lock", "a random pause before the claim",
         "`claim_next` updates with a condition and checks the row count", "a pause switch per queue in the dashboard",
         "give the job scheduler priorities", "how long finished jobs stay visible",
         "metrics per queue"),
    Work("the upload form", "web/forms/upload.tsx", "validateSize", "files above two gigabytes are refused as empty",
         "`validateSize` keeps the size in a signed 32 bit number", "raising the limit of the proxy",
         "`validateSize` works with BigInt all the way", "drag and drop for whole folders",
         "show a preview in the upload form", "whether we scan uploads before or after the answer",
         "the error page for aborted uploads"),
    Work("the mail sender", "mailer/compose.rb", "wrap_headers", "subjects with umlauts arrive as question marks",
         "`wrap_headers` folds the line in the middle of an encoded word", "sending plain ASCII subjects",
         "`wrap_headers` folds between encoded words only", "a preview link in every test mail",
         "add an unsubscribe header in the mail sender", "from which address reminders should come",
         "bounce handling for the old domain"),
    Work("the map tiles", "tiles/cache.cpp", "evictOldest", "the tile server dies with out of memory on Saturdays",
         "`evictOldest` counts tiles and not their bytes", "more swap on the machine",
         "`evictOldest` counts bytes and stops at the limit", "a layer with cycle paths on the map",
         "serve vector tiles beside the map tiles", "who pays for satellite pictures",
         "the attribution in print"),
    Work("the feature flags", "flags/evaluate.py", "bucket_of", "half of the users see both variants of the checkout",
         "`bucket_of` hashes the session and not the account", "a sticky cookie",
         "`bucket_of` hashes the account id with the flag's name", "an overview of flags nobody reads any more",
         "let the feature flags expire", "whether support may flip flags for one customer",
         "cleaning up the flags of last year"),
)  # fmt: skip

NEVERS: tuple[Matter, ...] = tuple(
    Matter({"do": do, "doing": doing}, keys)
    for do, doing, keys in (
        ("merge with a red pipeline", "merging with a red pipeline", (("merg",), ("red pipeline",))),
        ("log customer addresses", "logging customer addresses", (("logg", "log "), ("customer addresses",))),
        ("call the payment provider from a test", "calling the payment provider from a test", (("payment provider",), ("test",))),
        ("rewrite history on a shared branch", "rewriting history on a shared branch", (("rewrit",), ("shared branch",))),
        ("use `any` in the shared types", "using `any` in the shared types", (("any",), ("shared types",))),
        ("touch the generated files in `gen/`", "touching the generated files in `gen/`", (("touch",), ("gen/",))),
        ("catch an exception without a log line", "catching an exception without a log line", (("catch",), ("log line",))),
        ("put credentials into `.env.example`", "putting credentials into `.env.example`", (("credentials",), (".env.example",))),
        ("add a dependency without asking me", "adding a dependency without asking me", (("dependency",), ("asking",))),
        ("deploy after 16:30", "deploying after 16:30", (("deploy",), ("16:30",))),
        ("sleep in a test", "sleeping in a test", (("sleep",), ("test",))),
        ("edit an applied migration", "editing an applied migration", (("edit",), ("applied migration",))),
    )
)
ALWAYS: tuple[Matter, ...] = tuple(
    Matter({"do": do, "noun": noun}, keys)
    for do, noun, keys in (
        ("run `make verify` before you commit", "`make verify` before each commit", (("make verify",), ("commit",))),
        ("write a changelog line for user visible changes", "a changelog line for user visible changes", (("changelog line",),)),
        (
            "pin the version of every container image",
            "a pinned version for every container image",
            (("pin",), ("container image",)),
        ),
        ("use `hatch` and not plain pip", "`hatch`, not plain pip", (("hatch",), ("pip",))),
        ("keep public functions documented", "a docstring on public functions", (("public functions",),)),
        ("give a migration a way back", "a way back for a migration", (("migration",), ("way back",))),
        ("put timeouts on outgoing calls", "a timeout on outgoing calls", (("timeout",), ("outgoing calls",))),
        ("test the empty case", "a test of the empty case", (("empty case",),)),
    )
)
TASTES: tuple[Matter, ...] = tuple(
    Matter({"good": good, "bad": bad}, keys)
    for good, bad, keys in (
        ("tables", "long paragraphs", (("tables",), ("paragraphs",))),
        ("early returns", "nested ifs", (("early returns",), ("nested ifs",))),
        ("plain SQL", "an ORM", (("plain sql",), ("orm",))),
        ("small commits", "one big commit", (("small commits",), ("big commit",))),
        ("British spelling", "American spelling", (("british",),)),
        ("composition", "inheritance", (("composition",), ("inheritance",))),
        ("diffs", "whole files", (("diffs",), ("whole files",))),
        ("answers in German", "answers in English", (("answers in german",),)),
        ("explicit imports", "star imports", (("explicit imports",), ("star imports",))),
        ("fixtures", "mocks", (("fixtures",), ("mocks",))),
        ("tabs", "spaces", (("tabs",), ("spaces",))),
        ("one question at a time", "lists of questions", (("one question at a time",),)),
    )
)
CHOICES: tuple[Matter, ...] = tuple(
    Matter({"pick": pick, "other": other, "use": use, "why": why}, keys)
    for pick, other, use, why, keys in (
        ("NATS", "RabbitMQ", "the event bus", "it is one binary and needs no Erlang", (("nats",), ("event bus", "rabbitmq"))),
        ("DuckDB", "ClickHouse", "the analytics", "everything fits on one machine", (("duckdb",), ("analytics", "clickhouse"))),
        ("Caddy", "nginx", "the edge", "certificates renew themselves", (("caddy",), ("the edge", "nginx"))),
        ("ULIDs", "UUIDs", "the public ids", "they sort by time", (("ulids",), ("public ids", "uuids"))),
        ("Vitest", "Jest", "the frontend tests", "it shares the Vite config", (("vitest",), ("frontend tests", "jest"))),
        (
            "Garage",
            "MinIO",
            "the object storage",
            "the license is fine and it runs on small boxes",
            (("garage",), ("object storage", "minio")),
        ),
        (
            "server-sent events",
            "WebSockets",
            "the live view",
            "traffic goes in one direction only",
            (("server-sent events",), ("live view", "websockets")),
        ),
        ("Typst", "LaTeX", "the print layout", "it compiles in a blink", (("typst",), ("print layout", "latex"))),
        ("Valkey", "Redis", "the cache", "of the license", (("valkey",), ("the cache", "redis"))),
        ("Protobuf", "JSON", "the wire format", "the phones are on slow networks", (("protobuf",), ("wire format", "json"))),
        ("mTLS", "API keys", "service to service calls", "keys keep leaking", (("mtls",), ("service", "api keys"))),
    )
)
WRONGS: tuple[Matter, ...] = tuple(
    Matter({"right": right, "wrong": wrong, "what": what}, keys)
    for right, wrong, what, keys in (
        ("{port}", "8080", "the port of the gateway", (("gateway",), ("{port}",))),
        ("cents", "euros", "the unit of `amount_due`", (("amount_due",), ("cents",))),
        ("`config/live.toml`", "`config/default.toml`", "the file that the servers read", (("config/live.toml",), ("servers",))),
        ("staging", "production", "the place for load tests", (("staging",), ("load tests",))),
        ("the `accounts` table", "the `users` table", "where the plan is stored", (("accounts",), ("plan",))),
        ("seconds", "milliseconds", "the unit of `max_age`", (("max_age",), ("seconds",))),
        ("`release/next`", "`main`", "the branch for hotfixes", (("release/next",), ("hotfixes",))),
        ("Node {node}", "Node 18", "the version on the build machine", (("build machine",), ("node {node}",))),
    )
)
MOVES: tuple[Matter, ...] = tuple(
    Matter({"thing": thing, "old": old, "new": new}, keys)
    for thing, old, new, keys in (
        ("the staging database", "db-{a}.internal", "db-{b}.internal", (("staging database",), ("db-{b}.internal",))),
        ("the docs", "the wiki", "`docs/handbook`", (("docs/handbook",), ("wiki",))),
        ("the CI", "Jenkins", "Forgejo Actions", (("forgejo actions",), ("jenkins", "ci"))),
        ("the error tracking", "Sentry", "GlitchTip", (("glitchtip",), ("sentry", "error tracking"))),
        ("the container registry", "Docker Hub", "registry.example.org", (("registry.example.org",), ("docker hub", "registry"))),
        ("the cron jobs", "the old VM", "systemd timers on `worker-{a}`", (("systemd timers",), ("worker-{a}", "cron"))),
    )
)
FORMS: tuple[Matter, ...] = tuple(
    Matter({"things": things, "form": form}, keys)
    for things, form, keys in (
        ("branches", "`area/short-name`", (("branch",), ("area/short-name",))),
        ("commit subjects", "`scope: what changed`", (("commit subject",), ("scope: what changed",))),
        ("feature flags", "`team.flag_name`", (("feature flag",), ("team.flag_name",))),
        ("migrations", "`YYYYMMDD_name.sql`", (("migration",), ("yyyymmdd_name.sql",))),
        ("test files", "`name.spec.ts`", (("test file",), ("name.spec.ts",))),
        ("environment variables", "`APP_` in front", (("environment variable",), ("app_",))),
        ("metrics", "`service_thing_total`", (("metric",), ("service_thing_total",))),
    )
)
