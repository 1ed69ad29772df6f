"""Patterns of secrets: token shapes of the services that people use with coding agents, and assignments by name.

Shapes come from the providers' own documentation and from gitleaks' and GitHub's published pattern lists. Every shape has
literals that must occur, so that one fast search over a column finds the rows worth a closer look.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.written.value_ends import write_argument


@dataclass(frozen=True, slots=True)
class Shape:
    """A secret that is recognised by its own form; group `secret` if only a part of the match is secret."""

    name: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    begins_with_literal: bool = False  # then its literals are looked for, which is faster than lookbehinds everywhere


_ESCAPES = (r"\\[nrt]", r"\\u[0-9a-fA-F]{4}", "%[0-9A-F]{2}", r"\[m", r"[\[;]\dm", r"[\[;]\d\dm", r";\d\d\dm")


def _escape_lookbehinds(literal: str = "") -> str:
    """Return alternatives of a lookbehind: an escape of JSON, a URL or terminal colours, whose last letter begins no word."""
    return "".join(f"|(?<={escape}{literal})" for escape in _ESCAPES)


_AFTER_ESCAPE = _escape_lookbehinds()
_EDGE = rf"(?:(?<![A-Za-z0-9]){_AFTER_ESCAPE})"
"""Not inside a word. No lookbehind for `_` and `-`: tokens stand behind `KEY=`, quotes, colons and also in `foo_sk-…`."""


def _make_shape(name: str, literals: str, pattern: str, begins_with_literal: bool = False) -> Shape:
    return Shape(name, tuple(literals.split()), compile_late(pattern), begins_with_literal)


def _make_token(name: str, literals: str, tail: str) -> Shape:
    """Return a shape that begins with one of its literals. _EDGE is checked after them, which is much faster than before."""
    starts = (re.escape(literal) for literal in literals.split())
    edged = (rf"{start}(?:(?<![A-Za-z0-9]{start}){_escape_lookbehinds(start)})" for start in starts)
    return _make_shape(name, literals, rf"(?:{'|'.join(edged)}){tail}")


_KEY_BODY = r"(?:\\+[nrt]|[\s\"'+,>|│#*]|-(?!-)|[A-Za-z-]+: [^\n\\]{0,80}|[A-Za-z0-9+/=])"
"""Lines of a key, also as a diff, a quotation, a table or code shows them."""

SHAPES: tuple[Shape, ...] = (
    _make_shape(
        "private-key", "PRIVATE",
        rf"-----BEGIN [A-Z0-9 ]{{0,30}}PRIVATE KEY(?: BLOCK)?-----{_KEY_BODY}{{40,}}"
        rf"(?:-?-----END [A-Z0-9 ]{{0,30}}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    _make_shape(  # one in base64, as in a kubeconfig: "PRIVATE KE" at each of three offsets
        "private-key", "LS0tLS1CRUdJTi",
        r"LS0tLS1CRUdJTi(?=[A-Za-z0-9+/]{0,40}(?:UFJJVkFURSBLRV|BSSVZBVEUgS0VZ|QUklWQVRFIEtFWS))[A-Za-z0-9+/=]{60,}",
    ),
    _make_shape("cookie", "ookie:", r"(?i:cookie):\s*(?P<secret>[^\n\"'\\]{20,4000})"),
    _make_shape(  # PuTTY's
        "private-key", "Private-Lines:",
        r"Private-Lines: \d+(?P<secret>(?:\\+[nrt]|[\s>|│+-])*[A-Za-z0-9+/](?:\\+[nrt]|[\s>|│+-]|[A-Za-z0-9+/=]){40,}?)"
        r"(?=Private-MAC|[^A-Za-z0-9+/=\s>|│\\+-]|\Z)",
    ),
    _make_token("anthropic-key", "sk-ant-", r"[A-Za-z0-9_-]{16,}"),
    _make_token("openrouter-key", "sk-or-", r"[A-Za-z0-9_-]{20,}"),
    _make_shape(
        "openai-key", "sk-",
        _EDGE + r"sk-(?:proj-|svcacct-|admin-|None-)?"
        r"(?:(?=[A-Za-z_-]{0,300}[0-9])(?=[0-9_-]{0,300}[A-Za-z])|(?=(?:[a-z_-]{0,99}[A-Z]){4}))[A-Za-z0-9_-]{20,}",
    ),
    _make_token("google-key", "AIza", r"[A-Za-z0-9_-]{35}"),
    _make_token("google-key", "AQ.Ab", r"[A-Za-z0-9_-]{40,}"),
    _make_token("google-oauth", "ya29. GOCSPX-", r"[A-Za-z0-9_-]{20,}"),
    _make_shape("google-refresh", "1//0", rf"(?:(?<![\w/:.]){_AFTER_ESCAPE})1//0[A-Za-z0-9_-]{{30,}}"),
    _make_shape("aws-key", "AKIA ASIA ABIA ACCA",
           _EDGE + r"A(?:KI|SI|BI|CC)A(?![A-Z0-9]{9}EXAMPLE)[A-Z0-9]{16}(?![A-Za-z0-9])", True),
    _make_token("aws-key", "ABSK bedrock-api-key-", r"[A-Za-z0-9+/]{60,}={0,2}"),
    _make_shape("azure-key", "JQQJ99", r"(?<![A-Za-z0-9])[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{20,30}"),
    _make_shape("azure-key", "azurewebsites.net",
           r"azurewebsites\.net/[^\s\"'\\]{1,200}?[?&]code=(?P<secret>[A-Za-z0-9_%/+-]{30,}={0,2})"),
    _make_shape("azure-key", "AccountKey= SharedAccessKey=",
           r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})"),
    _make_shape("azure-secret", "8Q~ 7Q~", rf"(?:(?<![\w~.]){_AFTER_ESCAPE})[A-Za-z0-9_~.-]{{3}}[78]Q~[A-Za-z0-9_~.-]{{31,34}}"),
    _make_shape("azure-sas", "sig=", r"[?&;]sig=(?P<secret>[A-Za-z0-9%+/=_-]{40,})"),
    _make_shape("github-token", "ghp_ gho_ ghu_ ghs_ ghr_",
           _EDGE + r"gh[pousr]_(?:[A-Za-z0-9]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,})"),
    _make_token("github-pat", "github_pat_", r"[A-Za-z0-9_]{22,}"),
    _make_token("gitlab-token", "glpat- glptt- gldt- glrt- glcbt- gloas- glsoat- glagent- glft- glimt- glffct- glwt- GR1348941",
              r"[A-Za-z0-9_.-]{20,}"),
    _make_token("atlassian-token", "ATATT3 ATBB ATCTT3 ATSTT3", r"[A-Za-z0-9_=-]{28,}"),
    _make_shape("slack-token", "xox xapp-", _EDGE + r"(?:xox[abcdeoprs](?:\.xox[bp])?|xapp)-[A-Za-z0-9%-]{10,}"),
    _make_shape("slack-webhook", "hooks.slack.com",
           r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{20,})"),
    _make_shape("teams-webhook", "webhook.office.com", r"webhook\.office\.com/webhookb2/(?P<secret>[A-Za-z0-9@/-]{60,})"),
    _make_shape("discord-webhook", "/api/webhooks/", r"/api/webhooks/\d{15,}/(?P<secret>[\w-]{50,})"),
    _make_shape("discord-token", "M N O", _EDGE + r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}"),
    _make_shape("telegram-token", ":AA", rf"(?:(?<!\d){_AFTER_ESCAPE})" r"\d{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])"),
    _make_token("stripe-key", "sk_live_ sk_test_ sk_org_live_ rk_live_ rk_test_ whsec_", r"[A-Za-z0-9+/=]{16,}"),
    _make_shape("npm-token", "npm_", _EDGE + r"npm_[A-Za-z0-9]{36}"),
    _make_token("pypi-token", "pypi-AgE", r"[A-Za-z0-9_-]{40,}"),
    _make_token("rubygems-token", "rubygems_", r"[a-f0-9]{40,}"),
    _make_shape("nuget-key", "oy2", _EDGE + r"oy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    _make_token("jfrog-token", "AKCp cmVmdGtu", r"[A-Za-z0-9]{50,}"),
    _make_token("crates-token", "cio", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _make_token("docker-token", "dckr_pat_ dckr_oat_", r"[A-Za-z0-9_-]{24,}"),
    _make_token("huggingface-token", "hf_ api_org_", r"[A-Za-z0-9]{30,}"),
    _make_token("groq-key", "gsk_", r"[A-Za-z0-9]{40,}"),
    _make_token("xai-key", "xai-", r"(?=[A-Za-z]{0,300}[0-9])[A-Za-z0-9]{60,}"),
    _make_token("perplexity-key", "pplx-", r"[A-Za-z0-9]{40,}"),
    _make_token("replicate-token", "r8_", r"[A-Za-z0-9]{36,}"),
    _make_token("provider-key", "nvapi- tvly- lsv2_pt_ lsv2_sk_ csk- jina_ pcsk_ e2b_ exa- fc- vck_ tgp_v1_ wandb_v1_ esecret_ "
              "bkaj_ pylf_v rnd_ pnu_ pnb_ hcaik_ hcxik_ rdme_ duffel_ shippo_ fio-u- tfp_ vcp_ vci_ vca_ cfut_ cfat_ cfk_ "
              "vercel_blob_rw_ AQVN y0_ NRII- NRIQ- CLOJARS_ squ_ sqp_ sqa_ dG9rOm FLWSECK sl.u. sl.B "
              "bb_live_ aph0_ crsr_ rpa_ polar_oat_ mdb_sa_sk_ ctx7sk- pdl_live_apikey_",
              r"(?=[A-Za-z_-]{0,80}[0-9])[A-Za-z0-9_-]{28,}"),
    _make_token("provider-key", "fw_ AKID", r"(?=[A-Za-z]{0,300}[0-9])[A-Za-z0-9]{22,}(?![A-Za-z0-9_])"),
    _make_token("provider-key", "npg_ LTAI rzp_live_ rzp_test_",
              r"(?=[A-Za-z]{0,300}[0-9])(?=[a-z0-9]{0,300}[A-Z])[A-Za-z0-9]{12,24}(?![A-Za-z0-9_])"),
    _make_token("provider-key", "xkeysib- xsmtpsib- PMAK-", r"[a-f0-9]{24,}(?:-[A-Za-z0-9]{16,})?"),
    _make_token("provider-key", "pat-na1- pat-eu1- xaat- xapt- sdk-", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    _make_shape("provider-key", "re_ pk_ napi_", _EDGE
           + r"(?:re_(?=\w{0,32}\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{24}|pk_\d{6,12}_[A-Z0-9]{32}|napi_[a-z0-9]{60,})(?![A-Za-z0-9])"),
    _make_shape("newrelic-key", "FFFFNRAL", _EDGE + r"[0-9a-f]{32}FFFFNRAL"),
    _make_shape("dynatrace-token", "dt0c01. dt0s", _EDGE + r"dt0[a-z]\d\d\.[A-Z0-9]{8,24}\.[A-Z0-9]{60,}"),
    _make_shape("meta-token", "EAA IGQ IGA", _EDGE + r"(?:EAA|IG[AQ])[A-Za-z0-9_-]{56,}(?![A-Za-z0-9+/=])", True),
    _make_shape("twitter-bearer", "AAAAAAAAAAAAAAAAAAAA", _EDGE + r"A{20}[A-Za-z0-9]*%[A-Za-z0-9%]{30,}"),
    _make_shape("django-key", "django-insecure-", r"django-insecure-[^\s\"'`\\]{20,80}"),
    _make_shape("elevenlabs-key", "sk_", _EDGE + r"sk_[a-f0-9]{48}(?![A-Za-z0-9])"),
    _make_shape("sendgrid-key", "SG.", _EDGE + r"SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}"),
    _make_shape("twilio-key", "SK AC", _EDGE + r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _make_shape("mailgun-key", "key-", _EDGE + r"key-[0-9a-f]{32}(?:-[0-9a-f]{8}-[0-9a-f]{8})?(?![A-Za-z0-9])", True),
    _make_token("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[a-f0-9]{64}"),
    _make_token("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_", r"[a-fA-F0-9]{32}"),
    _make_token("linear-key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,}"),
    _make_token("notion-token", "ntn_ secret_", r"(?=[A-Za-z]{0,300}[0-9])[A-Za-z0-9]{40,}"),
    _make_token("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    _make_token("databricks-token", "dapi", r"[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])"),
    _make_shape("doppler-token", "dp.", _EDGE + r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    _make_shape("vault-token", "hvs. hvb. hvr.", _EDGE + r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    _make_shape("terraform-token", ".atlasv1.", _EDGE + r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    _make_token("supabase-token", "sbp_ sb_secret_", r"[A-Za-z0-9_-]{30,}"),
    _make_token("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[A-Za-z0-9_.=-]{32,}"),
    _make_shape("fly-token", "fm2_ fm1r_ fo1_", _EDGE + r"(?:fm2_|fm1[ar]_|fo1_)[A-Za-z0-9+/=_-]{40,}"),
    _make_token("grafana-token", "glsa_ glc_", r"[A-Za-z0-9+/_=]{32,}"),
    _make_token("sentry-token", "sntrys_ sntryu_", r"[A-Za-z0-9+/=_]{40,}"),
    _make_token("tailscale-key", "tskey-", r"[a-z]+-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{16,})?"),
    _make_token("newrelic-key", "NRAK-", r"[A-Z0-9]{27}"),
    _make_token("figma-token", "figd_ figo_", r"[A-Za-z0-9_-]{36,}"),
    _make_token("ci-token", "bkua_ CCIPAT_ nfp_ pul- HRKU- CFPAT- phx_ EZAK EZTK",
           r"(?=[A-Za-z_-]{0,300}[0-9])[A-Za-z0-9_-]{32,}"),
    _make_token("square-token", "sq0atp- sq0csp-", r"[A-Za-z0-9_-]{22,}"),
    _make_token("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"),
    _make_token("onepassword-token", "ops_eyJ", r"[A-Za-z0-9_=-]{60,}"),
    _make_shape("onepassword-token", "A3-",
           _EDGE + r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    _make_shape("firebase-key", "APA91b", _EDGE + r"AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{60,}"),
    _make_shape("jwt", "eyJ",
           rf"(?:(?<![A-Za-z0-9_]){_AFTER_ESCAPE})eyJ[A-Za-z0-9_-]{{8,}}\.eyJ[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]{{8,}}", True),
    _make_shape("jwt", "sk.eyJ", _EDGE + r"sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{16,}"),
    _make_shape(
        "url-password", "://",
        r"[A-Za-z][A-Za-z0-9+.-]{1,24}://[^\s/:@\"'<>\\`{}$\[]{0,80}:(?![$*]|\d{1,5}[?#])"
        r"(?P<secret>[^\s/\"'<>\\`{}]{3,120})@(?=[A-Za-z0-9\[_-])",
    ),
    _make_shape(
        "url-user", "://",
        r"[a-z][a-z0-9+.-]{1,24}://(?P<secret>(?=[A-Za-z_-]{0,300}[0-9])[A-Za-z0-9_-]{32,120})@(?=[A-Za-z0-9\[_-])",
    ),
    _make_shape(
        "bearer", "earer",
        r"(?i:bearer)[\s\\]+(?P<secret>(?=[A-Za-z_~+/=.-]{0,300}[0-9])[A-Za-z0-9_~+/=.-]{10,}|[A-Za-z0-9_~+/=.-]{24,})",
    ),
    _make_shape(
        "auth-header", "uthorization",
        r"(?i:authorization)(?:\\*[\"'`]?\s*[:=]\s*\\*[\"'`]?|\\*[\"']\s*,\s*\\*[\"'])"
        r"(?:(?i:basic|token|digest|apikey|bot|key|ssws|[a-z-]{2,20}-key)\s+"
        r"(?P<secret>(?=[A-Za-z_~+/=.:-]{0,300}[0-9]|\S{0,300}?[a-z][A-Z])[A-Za-z0-9_~+/=.:-]{8,})"
        r"|(?P<bare>(?=[A-Za-z_~+/=.:-]{0,300}[0-9])(?=[0-9_~+/=.:-]{0,300}[A-Za-z])[A-Za-z0-9_~+/=.:-]{16,}+)(?![(\[]))",
    ),
)  # fmt: skip

_FILTERED = {
    "M": 0, "N": 0, "O": 0, "SK": 1, "AC": 1, "cio": 2, "pat": 2, "oy2": 2, "A3-": 9,
    "re_": 9, "pk_": 9, "napi_": 9, "sdk-": 9, "EAA": 9, "IGQ": 9, "IGA": 9, "xox": 3, "sk-": 4,
    "://": 5, "xai-": 6, "dp.": 6, "sk_": 6, "earer": 7, "uthorization": 8,
}  # fmt: skip
"""Literals that are parts of too many words, and the one of SHAPE_FILTERS that stands for them."""

_RARE = sorted(
    {literal for shape in SHAPES for literal in shape.literals} - _FILTERED.keys(),
    key=lambda literal: (len(literal), literal),
)
"""Literals that make a row a candidate by themselves, sorted by length because a search for literals of one length is faster."""

_CHUNK = 48
LITERAL_FILTERS = tuple("|".join(map(re.escape, _RARE[start : start + _CHUNK])) for start in range(0, len(_RARE), _CHUNK))
"""The rare literals as Rust regexes. A regex of few alternatives is searched with vector instructions, several times as fast
as one automaton of all (`contains_any`)."""


LITERAL_BITS = tuple(
    {literal: 1 << bit for bit, literal in enumerate(_RARE[start : start + _CHUNK], start)}
    for start in range(0, len(_RARE), _CHUNK)
)
"""For each of LITERAL_FILTERS its literals and their bits."""


def filter_bits(shape: Shape) -> int:
    """Return as bits the literals and filters of which one must stand in a row that holds the shape: those of SHAPE_FILTERS are
    behind those of the rare literals."""
    bits = 0
    for literal in shape.literals:
        bits |= 1 << (_RARE.index(literal) if literal not in _FILTERED else len(_RARE) + _FILTERED[literal])
    return bits


_NAMES = (
    r"pass(?:word|wd|phrase|code)?|pwd|pepper|secret|token|api[_.-]?key|access[_.-]?key|secret[_.-]?key|private[_.-]?key"
    r"|signing[_.-]?key|encryption[_.-]?key|master[_.-]?key|account[_.-]?key|service[_.-]?key|license[_.-]?key|webhook[_.-]?url"
    r"|api[_.-]?hash|credentials?|auth|dsn"
)
SECRET_NAME = compile_late(
    rf"(?i)(?:(?<![a-z])(?:auth(?!\d)|dsn)|(?!auth|dsn)(?:{_NAMES}))(?:[_-]?(?:value|\d|base|private|prod(?:uction)?|live|test|dev|staging|old|new))?$"
)
"""Names of variables, members and headers whose value is a secret."""

GENERIC_KEY = compile_late(
    r"(?<!ublic)(?<!PUBLIC)(?<!ache)(?<!CACHE)(?<!rimary)(?<!oreign)(?<!ort)(?<!artition)(?<!dempotency)(?<!bject)"
    r"(?:(?i:[_-]key)|(?<=[a-z0-9])Key)$"
)
"""Names of any other key: only a certainly random value is a secret after them."""

_ENTITY = r"&(?:quot|apos|#0?3[49]|#x2[27]);"
_QUOTE = rf"(?:\\*[\"'`]|{_ENTITY})"
_COLOUR = r"(?:\x1b|\\+u001[bB]|\\+x1[bB]|\\+033|\\+e)\[[0-9;]{0,12}m"
_BLANK = r"(?:\s|\\+[nrt])"
_SUFFIX = r"(?:[0-9]|(?i:[_-]?(?:base|private|prod(?:uction)?|live|test|dev|staging|old|new|[0-9])))?"
_NAME_WORD = rf"(?P<word>(?:(?i:{_NAMES}|(?<=[_-])key)|(?<=[a-z0-9])Key){_SUFFIX})"
ASSIGNMENT = compile_late(
    rf"{_NAME_WORD}{_QUOTE}?\]?(?:{_COLOUR})*"
    rf"(?P<separator>{_BLANK}{{0,24}}(?:=>|:=|[:=：]){_BLANK}{{0,24}}|\s+)(?:{_COLOUR})*"
    rf"(?:(?P<open>{_QUOTE})(?P<quoted>(?:(?!{_QUOTE})[^\n]){{4,400}}?)(?={_QUOTE})"
    rf"|(?P<bare>(?:(?!{_ENTITY}|&[\w.%-]{{1,40}}=)[^\s\"'`\\,;|<>(){{}}\[\]\x1b，。；、）】」│]){{4,400}}+)(?![(\[{{]))"
)
"""`name = value` in shells, code, JSON (even escaped), YAML, headers, URLs. Letters before the telling word would cost much."""

_CALL = r"(?:[A-Za-z_][\w.:]{0,40}\((?:[a-z_]+\s?=\s?)?|[bfrBFRu]{1,2}(?=\\*[\"'])|\(\s*)"
_BRIDGES = (
    rf"[?!]?{_BLANK}{{0,4}}:{_BLANK}{{0,4}}[&A-Za-z_][\w.&:<>\[\]|?' ]{{0,40}}?={_BLANK}{{0,4}}{_CALL}?",  # typed
    r"\s{1,4}[&*]?[A-Za-z]\w{2,12}\s{1,4}=\s{1,4}|\s*\{[^{}\n]{0,40}\}\s*=\s*",  # declared: var x string =
    rf"{_BLANK}{{0,8}}(?:=>|:=|[:=]){_BLANK}{{0,8}}{_CALL}",  # by a call, as bytes
    rf"\)?(?:(?<=[\"'`])\s*,|\s*(?:\|\||\?\?|\bor\b|:-)){_BLANK}{{0,4}}",  # a default
    rf"(?:,|{_BLANK}){{1,20}}(?:--?|{_QUOTE})?(?:value|val|default|body){_QUOTE}?{_BLANK}{{0,4}}[:= ]{_BLANK}{{0,4}}",  # a pair
    rf"{_BLANK}*\{{[^{{}}]{{0,120}}?\bdefault{_BLANK}*={_BLANK}*",  # a variable of Terraform
    rf"\s*=\s*\(\s*{_QUOTE}[^\"'\n]{{1,60}}{_QUOTE}\s*,\s*",  # auth=("user", "…")
    rf"\s*\|\s*|\s*>\s*|:?\*\*:?\s*|\s*:\s*[|>][+-]?{_BLANK}{{1,12}}|(?<=[A-Z])[ \t]{{1,4}}|\s+(?={_QUOTE})",  # cells, `set N x`
)
BRIDGED = compile_late(
    rf"{_NAME_WORD}{_QUOTE}?\]?(?:{'|'.join(_BRIDGES)})"
    rf"(?P<open>{_QUOTE})?(?P<secret>(?:(?!{_ENTITY})[^\s\"'`\\,;|<>(){{}}\[\]\x1b]){{8,400}}+)(?(open)(?={_QUOTE})|(?![(\[{{]))"
)
"""A name whose value stands further off: behind a type, as a default, in the next cell or member. Only random values count."""
SPOKEN = compile_late(
    r"(?i)(?:\b(?:password|passwort|passphrase|passcode|pwd|api[ -]?key|access[ -]?key|secret(?:[ -]key)?|token|pin)\b"
    r"(?:\s+(?:for|of|to)\s+\S+?(?=[:=]?\s|=))?\s*(?:(?:is|ist|was|are)\b\s*[:=]?|[:=]|->)\s*|(?:密码|口令|密钥|令牌)\s*(?:是|为|[:：=])\s*)"
    r"[\"'`“]?(?P<secret>[^\s\"'`”,;]{6,200})"
)
"""`my password is …` as people write it."""
SPOKEN_WORDS = ("pass", "pwd", "api", "access", "secret", "token", "pin", "密码", "口令", "密钥", "令牌")
"""Where SPOKEN begins, in lower case."""

_NAME_START = rf"(?:\b{_AFTER_ESCAPE})"
_REST_OF_LINE = r"(?:[^\n]|(?<=\\)\n)"
_FLAG_VALUE = r"[^\s\"'\\]{4,200}"
FLAG = compile_late(
    rf"(?:{_NAME_START}curl\b{_REST_OF_LINE}{{0,300}}?\s(?:-u|--user)[\s=]+\\*[\"']?[^\s:\"'\\]{{1,60}}:"
    rf"|{_NAME_START}sshpass\s+-p\s*\\*[\"']?|{_NAME_START}mysql\w*\b[^\n]{{0,80}}?\s-p(?=[^\s-])\\*[\"']?"
    rf"|{_NAME_START}login\s+\S{{1,60}}[\s\d>|+-]+password\s+"
    rf"|{_NAME_START}(?:(?:docker|podman|helm|az)\s+login|mongo(?:sh|dump|restore|import|export)?)\b{_REST_OF_LINE}{{0,160}}?\s-p[\s=]*\\*[\"']?"
    rf"|{_NAME_START}redis-cli\b[^\n]{{0,160}}?\s-a\s+\\*[\"']?|{_NAME_START}sqlcmd\b[^\n]{{0,160}}?\s-P\s*\\*[\"']?"
    rf"|{_NAME_START}ldap\w+\b[^\n]{{0,160}}?\s-w\s+\\*[\"']?)(?P<secret>{write_argument(_FLAG_VALUE)})"
)
FLAG_COMMANDS = ("curl", "sshpass", "mysql", "login", "docker", "podman", "helm", "az", "mongo", "redis-cli", "sqlcmd", "ldap")
"""Where FLAG begins: commands that take a password as an argument."""

FLAG_SIGNS = {
    "curl": ("-u", "--user"), "sshpass": ("-p",), "mysql": ("-p",), "login": ("-p", "password"), "mongo": ("-p",),
    "redis-cli": ("-a",), "sqlcmd": ("-P",), "ldap": ("-w",),
}  # fmt: skip
"""Texts that stand in every text in which FLAG finds something: one, and one of the others."""

BARE_CHARS = 30
BARE_TOKEN = compile_late(r"(?<![A-Za-z0-9_\-+/.~:@#%])[A-Za-z0-9_\-+/.~]{30,512}={0,2}(?![A-Za-z0-9_\-+/=.~:@])")
"""A candidate for a token that a person pasted without a word; judged by its entropy."""

_BLANK_OR_ESCAPE = r"(?:\s|\\[nrt])"
LONG_RUN = rf"[A-Za-z0-9_\-+/.~]{{{BARE_CHARS},}}"
SPOKEN_HINT = (
    r"(?i:(?:password|passwort|passphrase|passcode|pwd|api[ -]?key|access[ -]?key|secret(?:[ -]key)?|token|pin)"
    rf"(?:{_BLANK_OR_ESCAPE}+(?:for|of|to){_BLANK_OR_ESCAPE}+\S+)?{_BLANK_OR_ESCAPE}*(?:is|ist|was|are|[:=]|->))"
    "|密码|口令|密钥|令牌"
)
"""LONG_RUN is in the JSON of every person's entry in which BARE_TOKEN finds something, SPOKEN_HINT where SPOKEN does."""

KEY_END = compile_late(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
KEY_TAIL = compile_late(r"(?:[A-Za-z0-9+/=]|\\+[nrt]|[\s\"'+,>|│#*]|-(?!--))*\Z")
"""The end of a private key whose beginning was cut off, as `tail` shows it."""

WORD_STARTS = (
    "pass", "pwd", "secret", "token", "api", "access", "private", "signing", "encryption", "master", "account", "service",
    "license", "webhook", "credential", "auth", "dsn", "pepper", "key",
)  # fmt: skip
"""Where ASSIGNMENT can begin, in lower case: finding these first is much faster than searching with the pattern."""

RAW_BLANK = r"(?:\s|\\+(?:[nrtbf]|u00[01][0-9a-f]))"
RAW_QUOTE = rf"(?:\\*[\"'`]|{_ENTITY})"
_RAW_COLOUR = r"\\+(?:u001[bB]|x1[bB]|033|e)\[[0-9;]{0,12}m"
"""A blank, a quotation mark and a colour as raw JSON has them, for the Rust regexes below."""
SHAPE_FILTERS = (
    r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}",
    r"SK[0-9a-f]{32}|dapi[0-9a-f]{32}",
    r"cio[A-Za-z0-9]{32}|pat[A-Za-z0-9]{14}\.[a-f0-9]{64}|oy2[a-z0-9]{43}",
    r"xox[abcdeoprs](?:\.xox[bp])?-[A-Za-z0-9%-]{10}",
    r"sk-[A-Za-z0-9_-]{20}",
    r"://(?:[^\s/:@\"'<>\\`{}$]{0,80}:[^\s/\"'<>\\`{}]{3,120}|[A-Za-z0-9_-]{32,120})@",
    r"xai-[A-Za-z0-9]{30}|dp\.(?:pt|st|ct|sa|scim|audit)\.|sk_[a-f0-9]{48}",
    r"earer(?:\s|\\(?:[nrtbf]|u00[01][0-9a-f])?)+[A-Za-z0-9_~+/=.-]{10}",
    rf"uthorization{RAW_QUOTE}?{RAW_BLANK}*[:=,]",
    r"A3-[A-Z0-9]{6}-|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}|pk_\d{6,12}_[A-Z0-9]{32}|napi_[a-z0-9]{60}|sdk-[0-9a-f]{8}-"
    r"|EAA[A-Za-z0-9_-]{56}|IG[AQ][A-Za-z0-9_-]{56}",
)
_SHAPE_SLICES = (slice(0, 1), slice(1, 5), slice(5, None))
SHAPE_HINTS = tuple("|".join(SHAPE_FILTERS[part]) for part in _SHAPE_SLICES)
SHAPE_BITS = tuple(sum(1 << bit for bit in range(len(SHAPE_FILTERS))[part]) << len(_RARE) for part in _SHAPE_SLICES)
"""Bits of the SHAPE_FILTERS that each hint stands for (see `filter_bits`)."""
_RAW_END = rf"{_SUFFIX}{RAW_QUOTE}?\]?"
_RAW_BRIDGES = (
    rf"[?!]?(?:{_RAW_COLOUR})*{RAW_BLANK}{{0,24}}[:=：]",
    rf"\)?(?:{RAW_BLANK}|{_RAW_COLOUR})*(?:[|>{{,]|\?\?|or\b)",
    rf"{RAW_BLANK}{{1,4}}[&*]?[A-Za-z]\w{{2,12}}{RAW_BLANK}{{1,4}}=",
    rf"(?:,|{RAW_BLANK}){{1,20}}(?:--?|{RAW_QUOTE})?(?:value|val|default|body)",
    rf"\*\*|{RAW_BLANK}+{RAW_QUOTE}",
)
MEMBER_END = r"(?:[_-]?(?:value|\d|base|private|prod(?:uction)?|live|test|dev|staging|old|new))?(?:\\n)?\"\s*:\s*[\[\"]"
_LAST_NAMES = r"pass(?:word|wd|phrase|code)?|pwd|secret|auth|key|dsn|api[_.-]?hash|token|pepper|webhook[_.-]?url|credentials?"
ASSIGNED_LITERALS = ("api_hash", "api-hash", "api.hash", "apihash")
"""Beginnings of names that only an assignment tells, beside those in `named_values.NAME_LITERALS`."""
ASSIGNED_VALUE = (
    rf"(?i)^(?:{_LAST_NAMES})(?:{_RAW_END}(?:{'|'.join(_RAW_BRIDGES)})|{MEMBER_END}"
    rf"|{_SUFFIX}(?:[ \t]|\\t){{1,4}}[^\s\"'`\\,;|<>(){{}}\[\]]{{0,400}}?(?-i:[0-9A-Z]|[a-f]{{32}}))"
)
FLAG_HINT = rf"(?i)--[a-z0-9_.-]{{0,60}}?(?:{_NAMES}|-key){_RAW_END}(?:{_RAW_COLOUR})*{RAW_BLANK}"
"""Rust regexes over raw JSON: ASSIGNED_VALUE of the text from the last word of a name on, where ASSIGNMENT or BRIDGED finds
something or a member has the name of a secret; FLAG_HINT of whole rows, where a flag has one."""
COMMAND_HINT = (
    "curl|sshpass|login|mysql|mariadb|mongo|redis-cli|sqlcmd|ldap|zip |ssh-keygen|nmcli |openssl |gpg|kubectl |svn |npm "
    "|net use |net user |sqlplus|impdp|expdp|lftp |ncftp|smbclient|rpcclient|winexe|smbget|htpasswd|input text"
    "|dotool type|NickServ|nickserv|PASS |sudo -|cryptsetup|passwd|kinit|helm registry|base64|obscure |hash-pass"
    "|stdin|with-token| -u | -U | --user| --auth | --cred|add_user|adduser|user add|user create|create-user"
    "|_password |-password |docker|podman|az login|hcloud"
    "|gh auth|vault login"
    "|&p=|&amp;p=| -ap | --ap |expect |stats auth |http auth |basic auth |proxy auth |jsessionid=|JSESSIONID=|PHPSESSID="
)
"""A command with a password among its arguments, in every row in which FLAG or the structure of a command tells one."""
