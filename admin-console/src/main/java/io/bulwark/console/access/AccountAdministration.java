package io.bulwark.console.access;

import io.bulwark.console.account.AccessLog;
import io.bulwark.console.account.Account;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.Role;
import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.id.PrincipalId;
import org.springframework.stereotype.Component;

/** Changes of accounts by an administrator, on whose behalf the principals of persons are registered and revoked. */
@Component
class AccountAdministration {
    private final SignedIn signedIn;
    private final Accounts accounts;
    private final AccessLog log;
    private final Door door;

    AccountAdministration(SignedIn signedIn, Accounts accounts, AccessLog log, Door door) {
        this.signedIn = signedIn;
        this.accounts = accounts;
        this.log = log;
        this.door = door;
    }

    /** An account, and the token of the link with which its person chooses a password. */
    record Invitation(Account account, String token) {}

    synchronized Invitation create(String wanted, Role role, String address) {
        String name = Setup.normal(wanted);
        accounts.checkNew(name);
        PrincipalId principal = door.addPerson(signedIn.client(), role);
        accounts.add(name, role, principal.number());
        log.add(
                AccessLog.Event.ACCOUNT_CREATED,
                name,
                address,
                role + ", " + principal + ", by " + administrator().name());
        return invite(name, address);
    }

    /** Makes a link with which the person chooses a password; the present one works until then. */
    Invitation invite(String name, String address) {
        if (!accounts.require(name).active()) {
            throw ApiException.conflict("the account " + name + " was deactivated");
        }
        // The link lets its owner act as that person, and no replica sees it made.
        Door.requireAdministrator(signedIn.client());
        String token = accounts.makeLink(name);
        log.add(
                AccessLog.Event.LINK_MADE,
                name,
                address,
                "by " + administrator().name());
        return new Invitation(accounts.require(name), token);
    }

    /** Deactivates an account for good: first here, so that nobody signs in while the cluster is asked. */
    synchronized Account deactivate(String name, String address) {
        Account account = accounts.require(name);
        if (name.equals(administrator().name()) && administrator().isLocal()) {
            throw ApiException.conflict("nobody deactivates the own account; another administrator does it");
        }
        Door.requireAdministrator(signedIn.client());
        Account ended = account.active() ? accounts.deactivate(name) : account;
        log.add(
                AccessLog.Event.ACCOUNT_DEACTIVATED,
                name,
                address,
                "by " + administrator().name());
        door.removePerson(signedIn.client(), PrincipalId.client(account.principal()));
        return ended;
    }

    private Person administrator() {
        return signedIn.person();
    }
}
