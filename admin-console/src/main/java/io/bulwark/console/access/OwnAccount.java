package io.bulwark.console.access;

import io.bulwark.console.account.AccessLog;
import io.bulwark.console.account.Account;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.Passwords;
import io.bulwark.console.account.Role;
import io.bulwark.console.account.SignInAttempts;
import io.bulwark.console.http.ApiException;
import org.springframework.stereotype.Component;

/** Changes that persons make to their own accounts, signed in by password: a token makes no other one that outlives it. */
@Component
class OwnAccount {
    private final SignedIn signedIn;
    private final Accounts accounts;
    private final Passwords passwords;
    private final SignInAttempts attempts;
    private final AccessLog log;

    OwnAccount(SignedIn signedIn, Accounts accounts, Passwords passwords, SignInAttempts attempts, AccessLog log) {
        this.signedIn = signedIn;
        this.accounts = accounts;
        this.passwords = passwords;
        this.attempts = attempts;
        this.log = log;
    }

    /** Returns the account; fails for those who have none here. */
    Account find() {
        Person person = signedIn.person();
        if (!person.isLocal()) {
            throw ApiException.notFound(person.name() + " has no account here, and signs in without one");
        }
        return accounts.require(person.name());
    }

    /** Sets another password; ends all sessions of the account. */
    void changePassword(String present, String next, String address) {
        String name = interactive();
        switch (attempts.attempt(name, present, address)) {
            case REFUSED -> throw ApiException.badField("present", "this is not the present password");
            case LOCKED -> throw ApiException.forbidden("too many failed attempts; try again in 15 minutes");
            case SIGNED_IN -> {}
        }
        passwords.check(name, next);
        accounts.setPassword(name, passwords.hash(next));
        log.add(AccessLog.Event.PASSWORD_SET, name, address, "by the person");
    }

    Accounts.NewToken addToken(String label, Role role, int days, String address) {
        String name = interactive();
        Accounts.NewToken token = accounts.addToken(name, label, role, days);
        log.add(AccessLog.Event.TOKEN_CREATED, name, address, token.token().id() + ", " + role);
        return token;
    }

    void removeToken(String id, String address) {
        String name = interactive();
        accounts.removeToken(name, id);
        log.add(AccessLog.Event.TOKEN_WITHDRAWN, name, address, id);
    }

    private String interactive() {
        Person person = signedIn.person();
        if (person.means() != Person.Means.PASSWORD) {
            throw ApiException.forbidden("only a person who signed in with a password changes the account");
        }
        return person.name();
    }
}
