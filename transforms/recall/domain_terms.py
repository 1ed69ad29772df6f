"""Domain terms: concepts of software work, one line for each with its other names.

When a question is about a TCP port and no name of that line was ever said, nothing in memory can answer it. An unknown verb or
adjective proves far less, because people remember the subject and not the words. Two words joined by `_` count only together;
words behind `|` show the concept but may ask for others. General vocabulary of the trade, no project's.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from itertools import pairwise

from transforms.language.tokenizer import stem, tokenize

TermNames = tuple[tuple[str, ...], ...]
"""The names of one concept; a name is the stems of its words."""

_SYNONYM_LINES = """
pull_request merge_request pr mr
code_review reviewer reviewed | review approve approval
issue_tracker tracker ticket jira linear github_issue
keyboard shortcut hotkey keybinding key_binding keymap ctrl
font typeface fonts
licence license licensed mit apache gpl bsd
ci continuous_integration pipeline github_actions workflow jenkins circleci gitlab_ci runner
docker container dockerfile podman image compose
kubernetes k8s helm namespace kubectl cluster
terraform ansible pulumi cloudformation
aws s3 ec2 lambda cloudfront
azure gcp cloud vercel netlify heroku
database db sql postgres postgresql mysql sqlite mariadb mongodb
redis memcached cache caching cached
queue kafka rabbitmq sqs nats celery
graphql rest grpc openapi swagger
oauth sso saml login sign_in authentication auth
two-factor 2fa mfa totp otp authenticator
password passphrase credential secret
encryption encrypt encrypted decrypt cipher aes
certificate tls ssl | https
tcp udp socket | listen
proxy vpn nginx caddy traefik gateway
dns domain hostname nameserver
load_balancer balancer autoscaling
firewall iptables ufw
monitoring grafana prometheus datadog dashboard alerts alerting
sentry crash_report crash_reporting bugsnag
telemetry analytics tracking metrics
benchmark benchmarks throughput faster speedup
latency response_time p95 p99
profiler profiling flamegraph
leak heap
gpu cuda gpus
ram gigabytes megabytes
accessibility wcag screen_reader a11y
translation localisation localization i18n locale translate
tmux screen_multiplexer zellij
vim neovim emacs
windows win32 powershell
macos darwin homebrew
linux ubuntu debian fedora alpine
android ios mobile
browser chrome firefox safari webkit
react vue svelte angular solid
webpack vite rollup esbuild bundler
typescript tsc tsconfig
javascript node nodejs deno bun
python pip uv poetry conda
rust cargo crate
java jvm maven gradle kotlin
golang goroutine
ruby rails gem
php laravel composer
orm prisma sqlalchemy hibernate typeorm
migration migrate migrated alembic
backup backups snapshot restore
replication replica failover
deadlock race mutex lock
cron crontab scheduler | schedule scheduled timer
webhook webhooks callback
email mail smtp newsletter
slack discord teams irc
payment stripe invoice billing checkout
subscription pricing | plan tier
price cost costs fee rent salary
customer customers | client
deadline due_date milestone roadmap
standup appointment | call meeting
holiday vacation
logo icon favicon branding
screenshot screencast | recording image
sound audio beep
mouse | click
animation transition spinner
download downloads downloaded
upload uploaded
newcomer onboarding tutorial
telephone phone sms
birthday anniversary
coverage | covered
mock mocks mocking stub fake
fuzz fuzzing property-based
snapshot_test golden
lint linter eslint ruff biome
formatter prettier black
pre-commit husky hook
changelog release_notes | changes
semver | major minor patch
hotfix rollback | revert reverted undo undone
deploy deployment deployed rollout
staging | production environment
feature_flag | toggle
rate_limit throttle throttling quota
timeout timeouts | seconds
retry retries retried backoff
pagination paginate cursor_based
elasticsearch opensearch
vector embedding embeddings
temperature top_p sampling
plugin plugins addon | extension
skin | theme themes
palette | colors color scheme
dialog modal popup
sidebar navbar menu
tooltip hover
clipboard | copy paste
encoding charset | utf-8 unicode
timezone utc time_zone
rounding decimal | precision
regex regexp | pattern
yaml toml ini
json jsonl
xml xslt
csv excel spreadsheet
pdf latex
markdown md
diagram mermaid uml
docstring | comment comments
documentation docs | readme
wiki confluence notion
contributor contributors
stars forks sponsors
survey questionnaire
audit compliance gdpr
penetration vulnerability cve
sandbox chroot
sudo privilege privileges
user_agent cookie cookies
session_cookie jwt bearer
csrf xss injection
interval period | every ms seconds minutes
percentage percent | share
maximum max | limit cap most
minimum min | least
average median
conversation chat | session transcript
library | package dependency module lib
widget | component control
registry | npm pypi publish published
compile compiler | build built
"""


def _parse_names(text: str) -> TermNames:
    return tuple(tuple(stem(word) for word in name.split("_")) for name in text.split())


def _parse_lines() -> tuple[tuple[TermNames, TermNames], ...]:
    halves = [line.partition("|") for line in _SYNONYM_LINES.strip().splitlines()]
    return tuple((_parse_names(names), _parse_names(names) + _parse_names(more)) for names, _, more in halves)


DOMAIN_TERMS = _parse_lines()
"""Each concept as the names that ask for it, and all names that show it."""


@lru_cache(maxsize=64)  # one question is looked at several times
def find_domain_terms(text: str) -> tuple[TermNames, ...]:
    """Return the concepts that a question asks about, each as all names that show it; the words of a name must be adjacent."""
    terms = tokenize(text)
    pairs, single = set(pairwise(terms)), set(terms)
    return tuple(shown for names, shown in DOMAIN_TERMS if any(_is_mentioned(name, single, pairs) for name in names))


def is_any_name_in(names: TermNames, terms: Collection[str]) -> bool:
    """Whether all words of one of the names are among these terms."""
    return any(all(part in terms for part in name) for name in names)


def _is_mentioned(name: tuple[str, ...], single: set[str], pairs: set[tuple[str, str]]) -> bool:
    return name[0] in single if len(name) == 1 else (name[0], name[1]) in pairs
