"""Word lists for comparing facts and judging questions: synonyms, generic words, words of change, opposites, tools that replace
each other, and words whose absence proves nothing.

General English and common tools of software work, no vocabulary of a project. Embeddings do not supply this: opposite rules
have almost equal vectors, and rewordings of one preference do not. Other lists stand elsewhere, since they hold something
else: `cue_phrases` and `assertion_rules` hold patterns of sentences, `transforms.recall.domain_terms` the terms that a
question presupposes, `answer_types` the values that a question asks for.
"""

from __future__ import annotations

from transforms.calendars.day_names import DAY_NAMES, UNAMBIGUOUS_MONTHS
from transforms.language.tokenizer import stem


def parse_set(text: str) -> frozenset[str]:
    """Return the words of a text, as written."""
    return frozenset(text.split())


def parse_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text."""
    return frozenset(map(stem, text.split()))


def _parse_groups(table: str) -> dict[str, str]:
    """Map each word to the first word of its line, both stemmed."""
    lines = [[stem(word) for word in line.split()] for line in table.strip().splitlines()]
    return {word: line[0] for line in lines for word in line}


SYNONYMS = _parse_groups(
    """
    short concise brief terse succinct
    answer reply response
    run execute invoke launch rerun
    delete erase
    remove drop
    directory folder dir
    repository repo
    database db
    configuration config
    environment env
    documentation docs documents
    dependency deps dependencies
    authentication auth
    administrator admin
    application app
    parameter param argument arg
    message msg
    error failure
    fix repair
    change modify edit alter
    create make build
    check verify validate
    store save persist storage storing
    show display
    begin start
    finish end complete
    commit commits
    ask permission confirm confirmation approval consent
    test tests spec specs
    fast quick
    large big huge
    small little tiny
    package pkg
    function func
    expiry expiration ttl
    seconds second sec secs
    minutes minute mins min
    hours hour hrs
    milliseconds millisecond ms
    color colour
    license licence
    style styling
    branch branches
    picture image screenshot
    postgres postgresql pg
    kubernetes k8s
    javascript js
    typescript ts
    python py
    mongo mongodb
    website site
    username login
    cache caching
    deploy deployment ship
    format formatting formatter
    lint linting linter
    every each
    release publish
    write written wrote
    keep kept
    find found
    send sent
    read reads
    break broke broken
    """
)
"""Words that count as equal when two facts are compared."""

GENERIC = frozenset(
    map(
        stem,
        parse_set("""
    user owner agent assistant people person someone project codebase code work thing things stuff way please make sure ensure
    always should must need needs want wants prefer prefers preferred preference like likes use uses used using usage utilize run
    set sets get gets keep keeps have has do does done be been being all every whole entire time times now currently already still
    new also just really ever actually simply instead longer anymore rule decided decision decide said says say told
    wish would could will shall can may might let us lets go going gone put take give more
    into onto one ones two-way same own any some more most here there when while before after first last next then again per via
    exist exists contain contains happen happens based kind sort part remember note future today yesterday tomorrow
    """),
    )
)
"""Words that do not distinguish facts."""

CHANGE_WORDS = frozenset(
    map(
        stem,
        parse_set("""
    change changed switch switched move moved migrate migrated replace replaced replacing revert reverted update updated bump
    bumped
    upgrade upgraded raise raised lower lowered increase increased decrease decreased reduce reduced shorten extend set reset
    """),
    )
)
"""Words that express a change but not its subject."""

_CONTRADICTIONS = """
    enable disable|on off|true false|allow forbid|allow deny|allow block|permit forbid|accept reject|include exclude
    show hide|increase decrease|raise lower|sync async|synchronous asynchronous|required optional|manual automatic
    manually automatically|strict loose|strict lenient|tabs spaces|tab space|single double|long short|all none|static dynamic
    verbose quiet|verbose concise|long concise|detailed short|detailed concise|keep remove|keep delete|add remove|add delete
    opt-in opt-out|visible hidden|sequential parallel|serial parallel|mutable immutable|blocking nonblocking|relative absolute
    always sometimes|never sometimes|love hate|like dislike|like hate|prefer dislike|prefer hate|trust distrust|start stop
    ascending descending|lazy eager|squash merge|before after
"""
_OTHER_OPPOSITES = """
    above below|over under|more less|more fewer|most least|up down|open close|install uninstall|public private|local remote
    first last|min max|minimum maximum|old new|left right|pass fail|success failure|light dark|internal external
    uppercase lowercase|encrypt decrypt|lock unlock|mute unmute|mount unmount|front back|top bottom|fast slow|big small
    large small|cheap expensive|simple complex|early late|all some|every some|all few|online offline|push pull|import export
    horizontal vertical|inner outer|stable unstable|safe unsafe|valid invalid|merge rebase|major minor|frontend backend
    client server|upload download|encode decode|increment decrement|read write|broken fixed|fails passes|failing passing
    full partial|daily weekly|weekly monthly|hourly daily|nightly weekly|staging production|development production|dev prod
    draft final|named default|monday friday|morning evening
"""

SAYING_FORMS = parse_set(
    """
    says said writes wrote tells told claimed insists insisted argues argued reckons reckoned thinks believes suggests suggested
    recommends recommended advises advised demanded stated replied answered posted emailed mailed messaged texted pinged warns
    warned mentioned announces announced
    sagt sagte schreibt schrieb meint meinte findet fordert verlangt antwortet antwortete behauptet
    dit écrit pense affirme répond exige
    dice dijo escribe escribió opina piensa responde respondió
    diz disse escreve escreveu acha respondeu
    scrive scrisse sostiene risponde
    zegt zei schrijft schreef vindt antwoordt
    säger skriver skrev sier siger sagde mener tycker
    mówi powiedział powiedziała pisze napisał napisała twierdzi uważa
    говорит сказал сказала пишет написал написала считает
    """
)
"""Verbs of saying in the third person or the past: "rui diz", "marta wrote"; "I write" and "tell rui" have other forms. Left out
are forms that are nouns as well ("commit messages: …")."""
WISHING_FORMS = parse_set("wants wanted asks asked prefers preferred demands wishes wished")
"""Verbs of wishing in the same forms: "marta wants every commit signed"."""
OPINIONS = parse_set(
    "take view opinion stance advice verdict position feedback reply answer comment wish demand rule message mail"
)
"""What is somebody's when they said it: "his take is …", "rui's rule: …"."""
CHANNELS = parse_set(
    """
    slack mail email e-mail mailing-list ticket tickets jira github gitlab pr review standup stand-up retro meeting call phone
    telephone chat teams discord whatsapp telegram signal matrix irc twitter mastodon linkedin forum blog sms channel thread dm
    """
)
"""Where people say things to each other; most of these names are the same in other languages."""


ORDINALS = {
    "first": 0, "1st": 0, "former": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "fifth": 4, "5th": 4,
    "last": -1, "latter": -1,
}  # fmt: skip
FOREIGN_ORDINALS = {
    word: place
    for place, words in (
        (0, "erste ersten erstes erster première premier primero primera primeiro primeira primo prima eerste"),
        (1, "zweite zweiten zweites zweiter deuxième second seconde segundo segunda secondo seconda tweede"),
        (2, "dritte dritten drittes dritter troisième tercero tercera terceiro terceira terzo terza derde"),
        (3, "vierte vierten viertes vierter quatrième cuarto cuarta quarto quarta vierde"),
        (-1, "letzte letzten letztes letzter dernier dernière último última ultimo ultima laatste"),
    )
    for word in words.split()
}
"""Ordinals of the languages whose number words are read (`patterns/spoken_numbers.py`)."""
ALTERNATING = parse_set("or oder ou of o")
"""What stands between two options of which either may be taken."""
FOREIGN_PRO_FORMS = parse_set("bitte option optionen opción opção opzione optie variante svp merci graag danke")
"""What may stand behind an ordinal of another language that is an answer: what stands for any option, and courtesies."""
FOREIGN_DENIALS = parse_set("nicht kein keine keinen keiner pas jamais nunca jamás não nao non mai niet geen no")
"""Denials of the languages of the foreign ordinals; "no" stands behind or before them, and is no particle there."""


def _parse_pairs(table: str) -> frozenset[frozenset[str]]:
    pairs = (pair.split() for line in table.strip().splitlines() for pair in line.strip().split("|"))
    return frozenset(frozenset(stem(word) for word in pair) for pair in pairs)


def _map_partners(pairs: frozenset[frozenset[str]]) -> dict[str, frozenset[str]]:
    words = frozenset().union(*pairs)
    return {word: frozenset(other for pair in pairs if word in pair for other in pair - {word}) for word in words}


CONTRADICTIONS = _map_partners(_parse_pairs(_CONTRADICTIONS))
"""Word → words that cannot hold of the same subject at the same time: a newer fact supersedes an older one."""
OPPOSITES = _parse_pairs(_CONTRADICTIONS) | _parse_pairs(_OTHER_OPPOSITES)
"""Pairs that two facts must not split between them to be duplicates; both facts may hold ("the dark theme", "the light one")."""
PARTNERS = _map_partners(OPPOSITES)
"""Word → its opposites."""

ALTERNATIVES = _parse_groups(
    """
    sqlite postgres mysql mariadb duckdb mongodb cockroachdb dynamodb firestore supabase planetscale libsql turso oracle mssql
    redis memcached valkey dragonfly keydb
    npm pnpm yarn bun
    pip uv poetry pipenv conda pdm
    jest vitest mocha jasmine ava
    pytest unittest nose
    playwright cypress selenium puppeteer
    prettier biome dprint
    eslint oxlint tslint
    ruff flake8 pylint
    mypy pyright pyre
    webpack vite rollup esbuild parcel turbopack rspack
    react vue svelte angular solidjs preact
    graphql grpc trpc soap
    kafka rabbitmq nats sqs pulsar
    celery sidekiq bullmq inngest prefect airflow dagster temporal
    jwt oauth saml
    docker podman
    kubernetes nomad swarm
    vercel netlify flyio heroku railway
    aws gcp azure hetzner digitalocean
    jenkins circleci travis
    javascript typescript python rust golang java kotlin ruby elixir
    vim emacs vscode zed neovim helix
    mit apache gpl bsd agpl
    tabs spaces
    main master trunk develop
    json yaml toml xml ini
    parquet csv arrow avro orc
    css tailwind sass bootstrap
    fastify koa hono flask django fastapi
    bash zsh fish
    slack discord email telegram
    qdrant lancedb typesense elasticsearch opensearch pinecone weaviate chroma
    claude gpt gemini llama mistral qwen
    opus sonnet haiku
    monday tuesday wednesday thursday friday saturday sunday
    squash rebase
    terraform pulumi
    chrome firefox safari
    ubuntu debian alpine fedora
    nginx caddy traefik apache2
    snake camel kebab
    ollama vllm lmstudio
    gzip zstd brotli lz4 snappy
    """
)
"""Tools of which a project usually has one: naming another can supersede it. No word here has a common other meaning."""

VAGUE_WORDS = parse_stems(
    """
    become became come came take took taken bring brought carry carried go went gone make made happen happened turn turned
    rather besides since instead afterwards finally really actually still today now later earlier way kind sort thing piece
    part end put say said tell told judge judging expect supposed keep kept give given use used user agent assistant owner
    work worked ever own new old first last right even already two three several many much few single whole big little good
    bad better best place well back out over after before month day week year time yesterday
    """
) | frozenset(map(stem, UNAMBIGUOUS_MONTHS + DAY_NAMES))
"""Words that fit any subject: their absence from memory proves nothing."""

SHELL_NOUNS = parse_stems(
    """
    fact point matter case aspect detail feature subject topic question answer problem trouble difficulty issue defect flaw
    fault mistake reason cause motive explanation excuse purpose goal aim intention idea thought view opinion belief
    attitude feeling impression complaint objection criticism concern doubt worry fear wish desire hope demand request
    requirement need condition constraint restriction guarantee promise assurance commitment obligation duty decision choice
    conclusion verdict agreement compromise plan proposal suggestion recommendation advice hint tip lesson approach way
    manner method technique trick solution remedy workaround alternative option possibility chance opportunity risk danger
    threat effect consequence result outcome impact influence benefit advantage drawback downside difference similarity
    distinction relation connection role function task job step stage phase process procedure situation circumstance context
    event incident episode occasion experience attempt effort success failure reaction response order sequence form format
    notation style shape standard principle guideline attribute property trait characteristic symptom sign evidence proof
    claim statement remark comment criterion status state fate
    """
)
"""Shell nouns (Schmid 2000, "English Abstract Nouns as Conceptual Shells"): "the complaint" names a remark and need not be a word
of it, so their absence from memory proves nothing."""
PREPOSITIONS = parse_set(
    "about above across after against along around at away back before behind below by down during for from in inside into near"
    " of off on onto out over past since through to toward towards under until up upon via with within without"
)
