"""What languages call an account and signing in, and recovery codes.

Written by `benchmarks/learning/secret_names.py` from the translations of Django and django-allauth; all in small letters.
"""

# fmt: off
ACCOUNT_WORDS: tuple[str, ...] = (
    "aanmelden", "accedi", "ainm-cleachdaiche", "anmeldename", "anmeldung", "användare", "användarnamn", "aseqdac",
    "autentificare", "azonosító", "bejelentkezés", "belépés", "benutzer", "benutzername", "bruger", "brugernavn",
    "brukar", "brukarnamn", "bruker", "brukernavn", "cleachdaiche", "conecteaza-te", "connexion", "d'usuari", "d'usuariu",
    "d'utilisateur", "daxil", "defnyddiwr", "dùng", "entrar", "erabiltzailea", "felhasználó", "felhasználónév",
    "foydalanuvchi", "gebruiker", "gebruikernaam", "gebruikersnaam", "giriş", "hasi", "identifiant", "ieiet", "implijer",
    "inicia", "iniciar", "istifadəçi", "itilizatè", "i̇stifadəçi", "kasutaja", "kasutajanimi", "kasutajatunnus", "kirish",
    "kirjaudu", "konekte", "korisnik", "korisničko", "kullanıcı", "käyttäjä", "käyttäjänimi", "käyttäjätunnus",
    "lietotājs", "lietotājvārds", "logg", "logga", "logi", "login", "masuk", "mtumiaji", "naudotojas", "naudotojo",
    "người", "nhập", "nomi", "notandanafn", "notandi", "pengguna", "pieteikties", "používateľ", "používateľské",
    "prihlásiť", "prijava", "prijavite", "prisijungti", "përdorues", "përdoruesi", "přihlásit", "přihlášení", "saioa",
    "salutnomo", "sesión", "sessió", "sessão", "sisse", "sisään", "ulanyjy", "uporabnik", "uporabniško", "usator",
    "useqdac", "username", "usuari", "usuario", "usuariu", "usuário", "utente", "utilisateur", "utilizador", "utilizator",
    "uzanto", "użytkownik", "użytkownika", "uživatel", "uživatelské", "vartotojas", "vartotojo", "wužiwar", "wužiwarske",
    "wužywarske", "wužywaŕ", "zaloguj", "úsáideoir", "đăng", "είσοδος", "σύνδεση", "χρήστη", "χρήστης", "архайӕг",
    "атауы", "влизане", "войти", "вход", "исеме", "истифодабаранда", "карыстальнік", "карыстальніка", "кирүү",
    "колдонуучу", "корисник", "корисничко", "користувач", "користувача", "кулланучы", "номи", "нэвтрэх", "пользователь",
    "пользователя", "потребител", "потребителско", "пријавите", "увійти", "фӕсномыг", "хэрэглэгч", "хэрэглэгчийн",
    "қолданушы", "օգտագործող", "օգտագործողի", "כניסה", "משתמש", "ئىشلەتكۈچى", "بەکارهێنەر", "تسجيل", "دخول", "مستخدم",
    "نام‌کاربری", "ورود", "کاربر", "کاربری", "उपभोक्ता", "प्रयोक्ता", "प्रयोगकर्ता", "वापरकर्ता", "वापरकर्तानाव",
    "সদস্য", "সদস্যনাম", "ਯੂਜ਼ਰ", "பயனர்", "వాడుకరి", "వాడుకరిపేరు", "ಬಳಕೆದಾರ", "ಬಳಕೆದಾರ-ಹೆಸರು", "ഉപയോക്താവ്",
    "ഉപയോക്ത്രു", "നാമം", "യൂസര്‍", "ชื่อผู้ใช้", "ผู้ใช้", "ลงชื่อเข้าใช้",
    "მომხმარებელი", "მომხმარებლის", "შესვლა", "ឈ្មោះជាសមាជិក", "សមាជិក",
    "ユーザー", "ユーザー名", "ログイン", "使用者", "使用者名稱", "用户", "用户名", "登入", "登录", "로그인", "사용자",
    "아이디",
)
RECOVERY_PHRASES: tuple[str, ...] = (
    "atkopšanas kodi", "atkūrimo kodai", "berreskuratze-kodeak", "bərpa kodları", "codes de récupération",
    "codici di recupero", "codis de recuperació", "coduri de recuperare", "códigos de recuperación",
    "códigos de recuperação", "gendannelseskoder", "gjenopprettingskoder", "helyreállítási kódok", "herstelcodes",
    "kode pemulihan", "kodovi za oporavak", "kody odzyskiwania", "kurtarma kodları", "kòd rekiperasyon",
    "obnovitvene kode", "palautuskoodit", "qayta tiklash kodlari", "tiklash kodlari", "varukoodid",
    "wiederherstellungs-codes", "záchranné kódy", "záložné kódy", "återställningskoder", "κωδικοί aνάκτησης",
    "κωδικοί ανάκτησης", "калыбына келтирүү коддору", "ключове за възстановяване", "коди для відновлення",
    "кодове за възстановяване", "кодови за опоравак", "коды восстановления", "сэргээх кодууд", "קודי שחזור",
    "رموز استرداد", "کدهای بازیابی", "รหัสการกู้คืน", "აღდგენის კოდები", "リカバリーコード",
    "復原碼", "恢复代码", "恢復代碼", "복구 코드",
)
