package io.bulwark.console.access;

import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.account.AccessLog;
import io.bulwark.console.account.Account;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.Passwords;
import io.bulwark.console.account.Role;
import io.bulwark.console.account.SetupLink;
import io.bulwark.console.http.ApiException;
import java.time.Clock;
import java.util.Locale;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/** The first administrator's account, by the one-time set-up link, and passwords by the links of administrators. */
@Component
class Setup {
    private final Accounts accounts;
    private final Passwords passwords;
    private final AccessLog log;
    private final Door door;
    private final SetupLink link;

    @Autowired
    Setup(ConsoleSettings settings, Accounts accounts, Passwords passwords, AccessLog log, Door door) {
        this(new SetupLink(settings.directory(), Clock.systemUTC()), accounts, passwords, log, door);
    }

    Setup(SetupLink link, Accounts accounts, Passwords passwords, AccessLog log, Door door) {
        this.link = link;
        this.accounts = accounts;
        this.passwords = passwords;
        this.log = log;
        this.door = door;
    }

    /** Fails unless this is the token of a link that works. */
    void check(String token) {
        if (!link.isValid(token)) {
            throw ended();
        }
    }

    /** Creates an administrator's account, or gives an administrator a new password; the link ends. */
    synchronized Account setUp(String token, String wanted, String password, String address) {
        check(token);
        String name = normal(wanted);
        passwords.check(name, password);
        Optional<Account> known =
                accounts.find(name).filter(account -> account.active() && account.role() == Role.ADMINISTRATOR);
        if (known.isEmpty()) {
            accounts.checkNew(name);
        }
        String hash = passwords.hash(password);
        if (known.isEmpty()) {
            int principal = door.addPerson(door.onBehalfOf(door.principalOf(Role.ADMINISTRATOR)), Role.ADMINISTRATOR)
                    .number();
            accounts.add(name, Role.ADMINISTRATOR, principal);
        }
        Account account = accounts.setPassword(name, hash);
        link.end();
        log.add(AccessLog.Event.SETUP_LINK_USED, name, address, known.isEmpty() ? "new account" : "new password");
        return account;
    }

    /** Returns the account of a link with which a person chooses a password. */
    Account accountOfLink(String token) {
        return accounts.findByLink(token).orElseThrow(Setup::ended);
    }

    /** Sets the password of the account that a link names; the link ends. */
    synchronized Account choosePassword(String token, String password, String address) {
        Account account = accountOfLink(token);
        passwords.check(account.name(), password);
        Account changed = accounts.setPassword(account.name(), passwords.hash(password));
        log.add(AccessLog.Event.PASSWORD_SET, account.name(), address, "by link");
        return changed;
    }

    static String normal(String name) {
        return name.strip().toLowerCase(Locale.ROOT);
    }

    private static ApiException ended() {
        return ApiException.forbidden("this link was used or has ended; `bulwark console setup-link` makes a new one,"
                + " and administrators make links on the page of accounts");
    }
}
