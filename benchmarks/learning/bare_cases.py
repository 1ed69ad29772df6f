"""Made texts with secrets that no name tells, and the same kinds of text with harmless values, for the judge of bare values.

Every value is drawn at run time. `{v}` is a secret, `{o}` a harmless value, `{u}` a user, `{h}` a host.
"""

# ruff: noqa: E501 - a pattern or a made text is read best on one line

from __future__ import annotations

import base64
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass

_WORDS = [
    "sommer",
    "winter",
    "kaffee",
    "dragon",
    "monkey",
    "berlin",
    "gatito",
    "soleil",
    "papillon",
    "bosque",
    "fluss",
    "panda",
    "tiger",
    "praha",
    "slunce",
    "kwiat",
    "nuvola",
    "ferrari",
    "chocolat",
    "hamburg",
    "rover",
    "pepper",
    "luna",
    "estrella",
    "vinter",
    "tulp",
    "fiets",
    "amigo",
    "maria",
    "klaus",
    "otto",
    "saudade",
    "himmel",
    "orange",
    "purple",
    "banana",
    "rocket",
    "marble",
    "velvet",
    "copper",
    "falcon",
    "harbor",
    "meadow",
    "thunder",
    "willow",
    "cactus",
    "pickle",
    "noodle",
    "waffle",
    "lantern",
    "pebble",
    "badger",
    "walrus",
    "sardine",
    "tartine",
    "escargot",
    "baguette",
    "girafe",
    "cigale",
    "abeille",
    "fromage",
    "violette",
    "canard",
    "pantufla",
    "sombrero",
    "ventana",
    "zapato",
    "naranja",
    "cachorro",
    "feijoada",
    "goiaba",
    "jabuti",
    "samambaia",
    "kelebek",
    "simit",
    "deniz",
    "bulut",
    "kestane",
    "yaprak",
    "zeytin",
    "sakura",
    "tanuki",
    "hotaru",
    "onigiri",
    "kitsune",
    "yuzu",
    "kabocha",
    "pierogi",
    "jablko",
    "zamek",
    "burza",
    "wrona",
    "kanel",
    "skog",
    "lingon",
    "bulle",
    "smultron",
    "stroop",
    "molen",
    "gracht",
    "zonnebloem",
    "birne",
    "wolke",
    "nebel",
    "zwiebel",
    "schnecke",
    "gewitter",
]
_USERS = [
    "admin",
    "root",
    "leo",
    "maria",
    "deploy",
    "svc_backup",
    "app_rw",
    "postgres",
    "k.benali",
    "jdoe",
    "anna",
    "backup",
    "ubnt",
    "pi",
    "operator",
    "guest01",
    "info",
    "ci-bot",
    "dev",
    "tomas",
]
_HOSTS = (
    "10.0.0.5",
    "nas.local",
    "db3.example",
    "192.168.1.10",
    "mail.example.org",
    "srv-01",
    "app.example.com",
    "router",
    "vps2",
)


@dataclass(frozen=True, slots=True)
class MadeText:
    """A text, the secrets in it, and whether a person typed it."""

    name: str
    text: str
    secrets: tuple[str, ...]
    is_user: bool


TYPED_ANY = (  # words of a person around any secret
    "login with {u} / {v} and check the logs", "its {v} btw", "it's {v} , don't commit it", "try {v}", "try {v} please", "use {v} for now",
    "the old one was {v}, new one is {v2}", "same as the router: {v}", "log in as {u} with {v} then restart it", "{u} / {v}", "{u}:{v}",
    "{u} {v}", "user {u}, then {v}", "ssh {u}@{h}, {v}", "{v} should work", "nope, still {v}", "sorry, capital letter: {v}",
    "it is {v} (yes i know)", "you can get in with {v}", "type {v} when it asks", "when it asks, {v}", "enter {v} at the prompt",
    "I think it was {v} or {v2}", "they gave me {v}", "he texted me: {v}", "here you go: {v}", "wifi is {o} and {v}", "ssid {o} , {v}",
    "{o} -> {v}", "  {o} -> {v}\n  {o} -> {v2}", "connect to the vpn as {u} using {v}", "grep the repo for {v}, that was prod",
    "did {v} ever get committed?", "change it from {v} to {v2}", "replace {v} with {v2} everywhere", "the unlock one is {v}",
    "the sheet says {v}", "sticker on the back says {v}", "admin page: {h} {u} {v}", "creds {u}/{v}", "the answer is {v}",
    "voila: {v}", "c'est {v}", "c'est {v} tout attaché", "connecte-toi avec {u} et {v}", "connecte toi en {u} avec {v} , puis redémarre",
    "essaie {v}", "utilise {v}", "mets {v} à la place de {v2}", "le compte {u}, {v}", "il faut taper {v} au démarrage", "toujours {v} depuis 2019",
    "je te donne {v}, ne le garde pas", "l'ancien c'était {v}", "pour entrer : {v}", "pour ouvrir le zip : {v}", "le sésame : {v}",
    "es {v}", "entra con {u} y {v}", "usa {v} por ahora", "prueba con {v}", "el de siempre, {v}", "la del router, {v}", "me dieron {v}",
    "entra no painel com {u} / {v}", "usa {v} mesmo", "tenta {v}", "é {v}", "a mesma de sempre, {v}", "acesso: {u} / {v}", "o certificado abre com {v}",
    "melde dich als {u} mit {v} an", "das ist {v}", "nimm {v}", "probier mal {v}", "früher war es {v}, jetzt {v2}", "geht mit {v}", "Zugang: {u} {v}",
    "{u} ile {v} kullan", "{v} dene", "{v} yaz geç", "şunu verdiler: {v}", "anahtar olarak {v} kullan", "giriş {u} , {v}",
    "log in met {u} en {v}", "het is {v}", "gebruik {v}", "zaloguj się jako {u}, {v}", "to {v}", "użyj {v}", "logga in som {u} med {v}", "det är {v}",
    "accedi con {u} e {v}", "è {v}", "prova {v}", "войди как {u}, {v}", "попробуй {v}", "вот: {v}", "{u} / {v} で入れます", "{v} です", "{v} で開きます",
    "解凍用です。\n\n{v}\n\n", "用 {u} 登录，{v}", "试试 {v}", "就是 {v}", "{u} / {v} 로 접속", "{v} 입니다",
    "for the upload it gave me {v}", "google gave me this: {v}", "the portal printed {v}", "Their support wants {v}", "my mother's answer: {v}",
    "anydesk 123 456 789 , {v}", "rdp {h} {u} {v}", "teamviewer 1 234 567 890 / {v}", "ftp {h} {u} {v}", "smtp.example.com 587 {u} {v}",
    "the disk unlocks with {v}", "the zip opens with {v}", "keystore is {v}", "pdf opens with {v}", "phpmyadmin {u} {v}", "grafana: {u} {v}",
    "cpanel {u} -> {v}", "instagram: @{u} / {v}", "it's only a test box: {u}, {v}", "the certificate (pfx) is {v}", "the safe one is {v}",
)  # fmt: skip
TYPED_TOKEN = (
    "here is the one for staging {v}", "openrouter one: {v}", "set it to {v} in the env", "put {v} in the ci variables", "mistral {v}", "the bot one is {v}",
    "curl it with {v}", "{v}", "{v}\n", "use this {v} and rerun", "I generated {v} in the dashboard", "the dashboard gave {v}", "voici {v}", "hier: {v}",
    "aquí: {v}", "aqui: {v}", "pushover user {o} app {v}", "gotify app is {v}", "claim {v}", "for deepl {v}, for maps {v2}", "sign with {v}", "これです {v}",
    "the webhook is https://{h}/hook/{v}", "calls https://{h}/api/push/{v} every hour", "ics: https://{h}/ical/private-{v}/basic.ics",
)  # fmt: skip
TYPED_PIN = (
    "the door code is {v}", "keypad code {v}", "pin {v}", "sim pin is {v}", "c'est {v} pour la sim", "le code de l'alarme c'est {v}", "it texted me {v}", "sms says {v}",
    "got {v} on my phone, quick", "the 2fa one is {v}", "code: {v}", "code {v}", "{v} is the code", "verification code {v}", "mon code est {v}", "code secret {v}",
    "der Code ist {v}", "PIN ist {v}", "el código es {v}", "o código é {v}", "chegou {v}", "kod {v}", "{v} yaz", "alarm kodu {v}", "il codice è {v}", "unlocks with {v}",
    "the safe opens with {v}", "the locker is {v}", "暗証は{v}", "コードは {v} です", "验证码 {v}", "passcode is {v}", "the gate code {v} works", "digicode {v}", "tablet unlock {v}",
)  # fmt: skip
TYPED_SAFE = (
    "please bump {o} to the latest", "rename {o} to {o2}", "the file {o} is missing", "look at {o} again", "use {o} for now", "try {o}", "it's {o}", "install {o}",
    "the container {o} crashed", "upgrade from {o} to {o2}", "order {o} has not arrived", "see ticket {o}", "tracking number {o}", "the serial is {o}", "commit {o} broke it",
    "since {o} it is slow", "{o} / {o2} are both fine", "call {o} instead", "the branch {o}", "deploy {o} to {h}", "run {o} with {o2}", "{o} -> {o2}", "open {o}", "why does {o} fail?",
    "c'est {o}", "utilise {o}", "essaie {o}", "le fichier {o}", "das ist {o}", "nimm {o}", "usa {o}", "prueba {o}", "{o} kullan", "{o} です", "用 {o}", "the code {o} is the promo",
    "error code {o}", "exit code {o}", "status {o}", "port {o}", "year {o}", "in {o} days", "room {o}", "line {o}", "PR {o}", "issue {o}", "ssid {o}", "model {o}", "version {o}",
    "host {o}", "user {o}", "the db is called {o}", "key {o} on the keyboard", "{o} characters", "chapter {o}", "the id is {o}", "session {o}", "request {o}",
)  # fmt: skip
TOOL_ANY = (  # what tools, files and commands show
    "$ pwgen -s 18 1\n{v}", "$ openssl rand -base64 24\n{v}", "$ apg -n 1\n{v}", "$ pass show {o}\n{v}", "$ cat /run/secrets/db\n{v}", "$ bw get password {o}\n{v}",
    "$ security find-generic-password -w -s {o}\n{v}", "$ op read op://vault/{o}/credential\n{v}", "$ cat .vault_pass\n{v}", "$ echo -n {v} | cryptsetup open /dev/sdb1 x -",
    "$ echo '{v}' | sudo -S ls", "$ printf '%s' '{v}' | docker login --username {u} --stdin", "$ {v}\nbash: {v}: command not found", "zsh: command not found: {v}",
    "sshd[811]: Invalid user {v} from {h} port 51882", "PASS {v}", "FTP: PASS {v}", "IDENTIFY {u} {v}", "/msg NickServ identify {v}", "AUTH {v}", "LOGIN {u} {v}", "a1 LOGIN {u} {v}",
    "snmpget -v3 -l authPriv -u {u} -a SHA -A {v} -x AES -X {v2} {h}", "ipmitool -I lanplus -H {h} -U {u} -P {v} power status", "mosquitto_sub -h {h} -u {u} -P {v} -t '#'",
    "lftp -u {u},{v} {h}", "net use Z: \\\\{h}\\share {v} /user:{u}", "sqlplus -s {u}/{v}@//{h}:1521/XE", "smbclient //{h}/x -U {u}%{v}", "curl -u {u}:{v} https://{h}/api", "curl -k --user '{u}:{v}' {h}",
    "wget --user={u} --http-passwd={v} {h}", "adb shell input text {v}", "xdotool type '{v}'", "wpa_cli set_network 0 psk '\"{v}\"'", "nmcli dev wifi connect {o} password {v}",
    "htpasswd -nb {u} {v}", "zip -e -P {v} a.zip b", "7z a -p{v} a.7z b", "unrar x -p{v} a.rar", "qpdf --password={v} a.pdf b.pdf", "openssl enc -k {v} -in a", "gpg --passphrase {v} -d a.gpg",
    "mysql -h{h} -u{u} -p{v} shop", "mysqladmin -u root password {v}", "psql postgresql://{u}:{v}@{h}/db", "mongosh -u {u} -p {v} {h}", "redis-cli -a {v} -h {h}", "ldapsearch -x -D cn={u} -w {v}",
    "xfreerdp /u:{u} /p:{v} /v:{h}", "rdesktop -u {u} -p {v} {h}", "vncviewer -passwd {v}", "plink -pw {v} {u}@{h}", "sshpass -p {v} ssh {u}@{h}", "kinit {u} <<< {v}", "chpasswd <<< {u}:{v}",
    "echo '{u}:{v}' | chpasswd", "useradd -p {v} {u}", "net user {u} {v} /add", "dsadd user -pwd {v}", "slcli -k {v}", "hcloud context create x <<'EOF'\n{v}\nEOF", "cloudflared service install {v}",
    "tailscale up --authkey {v}", "zerotier-cli join {o}\n{v}", "vault login {v}", "consul acl {v}", "doctl auth init -t {v}", "gh auth login --with-token <<< {v}", "heroku auth:token\n{v}",
    "kubectl create secret generic x --from-literal=a={v}", "docker run -e X_ROOT={v} mariadb", "ansible-playbook -e 'become={v}'", "rclone obscure {v}", "restic -p <(echo {v}) backup", "borg init -e repokey\n{v}",
    "client.connect(\"{h}\", \"{u}\", \"{v}\")", "WiFi.begin(\"{o}\", \"{v}\");", "jwt.sign(payload, '{v}')", "jwt.verify(t, \"{v}\")", "new Cipher('{v}')", "createHmac('sha256', '{v}')", "Serializer(\"{v}\")",
    "if (p === '{v}') return true;", "s.equals(\"{v}\")", "if pw == \"{v}\":", "auth=('{u}', '{v}')", "HTTPBasicAuth('{u}', '{v}')", "const k = '{v}';", "static final String K = \"{v}\";", "#define WPA \"{v}\"",
    "page.fill('#pw', '{v}')", "send \"{v}\\r\"", "expect \"*:\"\nsend \"{v}\\r\"", "driver.type('{v}')", "{{\"ref\": \"e12\", \"text\": \"{v}\", \"submit\": true}}", "<input value=\"{v}\" type=\"hidden\">",
    "{o}: {v}", "{o}={v}", "{o} = \"{v}\"", "wifi_home: {v}", "mqtt: \"{v}\"", "  code: \"{v}\"", "sv_pw \"{v}\"", "rcon: {v}", "storepass '{v}'", "wireless.default_radio0.key='{v}'", "psk={v}", "wpa.psk: {v}",
    "Key Content            : {v}", "Contenu de la clé : {v}", "Schlüsselinhalt : {v}", "Passphrase: {v}", "KEY FOUND! [ {v} ]", "[22][ssh] host: {h}   login: {u}   password: {v}", "{u}:1000:{v}", "{h}:{u}:{v}",
    "machine {h} login {u} password {v}", "//{h}/x /mnt cifs username={u},pass={v} 0 0", "\"{u}\" * \"{v}\" *", "{u}  l2tpd  {v}  10.0.0.3", "{u} ALL \"{v}\"", "result: {v}", "Generated: {v}", "Initial admin: {v}",
    "The default admin account was created with {v}", "temporary one: {v}", "> {u}\n> {v}", "login: {u}\n{v}", "user={u} pass={v}", "name,login,value\nx,{u},{v}", "site;{u};{v};note", "| {u} | {v} |", "{u}\t{v}\tnote",
    "- DB: {u} / {v}", "- instagram: @{u} / {v}", "* router {u} · {v}", "Admin: {u}@example.org — {v}", "authenticated with `{v}` as you said", "the user meant {v} instead", "I logged in as {u} with {v}", "Temp login: `{u}` / `{v}`",
    "+ export X={v}", "-  k: '{v}'", "+  value = \"{v}\"", "<login user=\"{u}\" code=\"{v}\"/>", "<string name=\"sess\">{v}</string>", "<value>{v}</value>", "<psk>{v}</psk>", "data:\n  dbpw: {v}", "\"result\": \"{v}\"",
)  # fmt: skip
TOOL_TOKEN = (
    "{{\"sid\":\"{v}\"}}", "{{\"rt\": \"{v}\"}}", "{{\"username\":\"{v}\"}}", "{{\"access\":\"{v}\",\"refresh\":\"{v2}\"}}", "X-Shop-Access: {v}", "x-auth: {v}", "Set-Cookie: sid={v}; Path=/", "cookie: sess={v}",
    "https://{h}/hooks/{v}", "https://{h}/api/push/{v}?status=up", "https://{h}/dynamic/update.php?{v}", "https://{h}/v2/{v}", "https://{h}/s/{v}", "https://{h}/ical/{v}/basic.ics", "https://{h}/rpc?id={v}", "wss://{h}/{v}",
    "PAYMENTS_A={v}", "export SMS={v}", "Environment=\"TWITCH={v}\"", "LINE_CH={v}", "shh: '{v}',", "cs: \"{v}\"", "\"k\": \"{v}\"", "Api({v})", "Client(\"{v}\")", "new Bot('{v}')", "setToken('{v}')", "init(\"{h}\", \"{v}\")",
    "accounts: [\"{v}\"]", ">>> k.to_wif()\n'{v}'", "identity.secret\n{v}", "$ wg genkey\n{v}", "PrivateKey = {v}", "$ cat token.txt\n{v}", "$ heroku config:get X\n{v}", "sms    {v}", "│ value │ {v} │", "consumer {v}",
)  # fmt: skip
TOOL_SAFE = (
    "commit {o}", "{o}  refs/heads/main", "sha256:{o}", "digest: {o}", "integrity sha512-{o}", "checksum: {o}", "etag: \"{o}\"", "uuid={o}", "id: {o}", "\"id\":\"{o}\"", "request_id={o}", "traceID={o}", "session: {o}", "run {o} done",
    "Started {o}", "added {o}", "pod/{o} Running", "image: {o}", "container {o}", "{o} {o2} {o3}", "Public key: {o}", "PublicKey = {o}", "public_key: \"{o}\"", "ssh-ed25519 {o} x@y", "fingerprint {o}", "SHA256:{o}", "serial: {o}",
    "Model: {o}", "version: {o}", "name: {o}", "class=\"{o}\"", "data-sitekey=\"{o}\"", "src=\"/assets/{o}.js\"", "https://{h}/commit/{o}", "https://{h}/watch?v={o}", "https://{h}/d/{o}/edit", "https://{h}/files/{o}", "blob {o}\tsrc/x.ts",
    "  \"{o}\": \"{o2}\",", "{o}: {o2}", "{o}={o2}", "const x = '{o}';", "foo('{o}')", "if x == \"{o}\":", "[{o}] ok", "{o}\n{o2}\n", "| {o} | {o2} |", "{o},{o2},{o3}", "-p {o}", "-a {o}", "--tag {o}", "--name {o}", "-u {u} -p {o}:80", "docker run {o}",
    "uid {o}", "tx {o}", "RAX: {o}", "msg {o}", "{o}-linux-gnu", "v{o}", "{o} passed", "PASS: {o}", "--- PASS: {o} (0.00s)", "kid\":\"{o}\"", "\"n\":\"{o}\"", "bh={o};", "nodekey:{o} (public)", "age recipient {o}", "ENC[{o}]", "secure: {o}",
    "cache key {o}", "key: {o}", "token count {o}", "auth module {o}", "login page {o}", "user {u} logged in from {h} as {o}", "Sec-WebSocket-Accept: {o}", "nonce {o}", "blurhash {o}", "data:image/png;base64,{o}", "Qm{o}", "job {o} queued",
)  # fmt: skip


class _Draw:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"bare-{seed}")

    def letters(self, alphabet: str, count: int) -> str:
        return "".join(self.random.choices(alphabet, k=count))

    def password(self) -> str:
        pick = self.random.choice
        first, second, third = (pick(_WORDS) for _ in range(3))
        digits, mark = self.letters(string.digits, pick((1, 2, 3, 4, 4))), pick("!#$%&*?@+-_.=")
        year = str(self.random.randint(1950, 2026))
        leet = first.replace("e", "3").replace("a", "4").replace("o", "0").replace("i", "1")
        joint = pick("-_.+")
        return pick((
            f"{first}{year}", f"{first}{digits}", f"{first.title()}{digits}{mark}", f"{first}{mark}{digits}", f"{mark}{first.title()}{digits}", f"{first}{second}",
            f"{first}{joint}{second}", f"{first}{joint}{second}{joint}{digits}", f"{first}{joint}{second}+{digits}", f"{first}{joint}{second}{joint}{third}{joint}{pick(_WORDS)}",
            f"{leet}{digits}", f"{leet.title()}_{digits}", f"{first.title()}{second.title()}{digits}{mark}", f"{first.title()}@{year}{pick('abcxyz')}", f"{first.upper()}{digits}", f"{pick('abcklms')}{pick('jkm')}{self.letters(string.digits, 8)}",
            self.letters(string.ascii_letters + string.digits, self.random.randint(8, 20)), self.letters(string.ascii_lowercase + string.digits, self.random.randint(7, 13)),
            self.letters(string.ascii_letters + string.digits + "!#$%&*?@+-_.", self.random.randint(9, 20)) + "x", f"my{first}{second}{digits}{pick('abcxyz')}", f"{mark}{first.title()}{digits}{second[:3].upper()}",
        ))  # fmt: skip

    def token(self) -> str:
        pick = self.random.choice
        size = pick((20, 24, 27, 30, 32, 36, 40, 43, 48, 64))
        mixed = self.letters(string.ascii_letters + string.digits, size)
        prefix = self.letters(string.ascii_lowercase, self.random.randint(2, 5)) + pick(
            ("_", "-", "_live_", "_sk_", "-v1-", ".", ":")
        )
        return pick((
            mixed, mixed, prefix + mixed, prefix + mixed, self.letters("0123456789abcdef", pick((32, 40, 64))), base64.b64encode(self.random.randbytes(size)).decode(),
            self.letters(string.ascii_letters + string.digits + "-_", size), self.letters(string.ascii_uppercase + string.digits, size), self.letters(string.ascii_lowercase + string.digits, size), self.uuid(),
        ))  # fmt: skip

    def pin(self) -> str:
        digits = self.letters(string.digits, self.random.choice((4, 4, 5, 6, 6, 8)))
        return digits if self.random.random() < 0.8 else f"{digits[:3]}-{digits[3:]}" if len(digits) == 6 else digits

    def uuid(self) -> str:
        return "-".join(self.letters("0123456789abcdef", count) for count in (8, 4, 4, 4, 12))

    def harmless(self) -> str:
        pick = self.random.choice
        first, second = pick(_WORDS), pick(_WORDS)
        number = str(self.random.randint(1, 9999))
        return pick((
            first, f"{first}-{second}", f"{first}_{second}", f"{first}{second.title()}", f"{first}.py", f"{first}/{second}.ts", f"{first}-{number}", f"{first}{pick('0123456789')}", f"v{number[:2]}.{pick('012345')}.{pick('0123')}",
            f"{pick('12345')}.{number[:2]}.0-rc{pick('123')}", self.letters("0123456789abcdef", pick((7, 8, 12, 40, 64))), self.uuid(), f"{first}-{second}-{self.letters('0123456789abcdef', 10)}-{self.letters(string.ascii_lowercase, 5)}",
            f"{first.upper()}_{second.upper()}", f"{first.title()}{second.title()}Error", f"is{first.title()}Valid", f"Test{first.title()}{second.title()}_{number}", f"{first}.{second}.example.com", f"{first}@{second}.example",
            f"2026-0{pick('123456789')}-1{pick('0123456789')}", f"10.{number[:2]}.0.{pick('123456789')}", number, number, f"#{self.letters('0123456789abcdef', 6)}", f"{self.letters(string.ascii_uppercase, 2)}{self.letters(string.digits, 9)}BR",
            f"{self.letters(string.ascii_uppercase, 3)}-{number}", f"{first}:{pick(('latest', '3.12', 'v2', 'alpine3.20'))}", f"gpt-{pick('345')}{first[:2]}", f"{first}32{pick('abcs')}", f"sha256:{self.letters('0123456789abcdef', 64)}",
            self.letters(string.ascii_letters + string.digits + "-_", 11), base64.b64encode(self.random.randbytes(32)).decode(), "01" + self.letters(string.ascii_uppercase + string.digits, 24), f"{first}[{pick('0123')}]", f"{first}=>{second}",
            f"{first.title()}-{self.letters('0123456789ABCDEF', 4)}", f"0x{self.letters('0123456789abcdef', 8)}", f"{first}+{second}", f"@{first}/{second}", f"{first}s", f"{first}.{second}", "changeme", "your-token-here", "********",
        ))  # fmt: skip


def make_texts(seed: int) -> Iterator[MadeText]:
    """Yield texts of a draw; the same seed gives the same texts."""
    draw = _Draw(seed)
    kinds = (
        ("any", TYPED_ANY, draw.password, True), ("token", (*TYPED_TOKEN, *TYPED_ANY[::4]), draw.token, True), ("pin", TYPED_PIN, draw.pin, True),
        ("any", TOOL_ANY, draw.password, False), ("token", (*TOOL_TOKEN, *TOOL_ANY[::3]), draw.token, False), ("safe", TYPED_SAFE, draw.harmless, True), ("safe", TOOL_SAFE, draw.harmless, False),
        ("safe", TYPED_SAFE, draw.harmless, True), ("safe", TOOL_SAFE, draw.harmless, False),
    )  # fmt: skip
    for kind, templates, make, is_user in kinds:
        for number, template in enumerate(templates):
            first, second = make(), make()
            safe = [draw.harmless() for _ in range(3)]
            text = template.format(
                v=first,
                v2=second,
                o=safe[0],
                o2=safe[1],
                o3=safe[2],
                n=draw.letters(string.digits, draw.random.randint(4, 6)),
                u=draw.random.choice(_USERS),
                h=draw.random.choice(_HOSTS),
            )
            secrets = () if kind == "safe" else tuple(value for value in (first, second) if value in text)
            yield MadeText(f"{kind}-{number}-{int(is_user)}", text, secrets, is_user)
