package io.bulwark.console.account;

import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A local account.
 *
 * @param passwordHash Argon2id with its parameters; null until the person has chosen a password
 * @param principal number of the client for which the console acts when this person is signed in
 * @param active false once it is deactivated, which is for good
 * @param version counted up by changes of the password, of the role and of {@code active}; sessions of an older version end
 * @param failures failed sign-ins since the last good one, and a lock-out
 * @param link one-time link with which the person chooses a password; null if there is none
 */
public record Account(
        String name,
        @Nullable String passwordHash,
        Role role,
        int principal,
        Instant created,
        boolean active,
        long version,
        Failures failures,
        @Nullable Link link,
        List<Token> tokens) {
    /** An account has at most so many tokens. */
    public static final int TOKENS_MAX = 20;

    /** A token is valid for so many days at most. */
    public static final int TOKEN_DAYS_MAX = 366;

    /** Validity of a token for which nobody names another one. */
    public static final int TOKEN_DAYS = 90;

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");

    public Account {
        tokens = List.copyOf(tokens);
    }

    /**
     * Failed sign-ins.
     *
     * @param lockedUntil null if it is not locked
     */
    public record Failures(int count, @Nullable Instant lockedUntil) {
        static final Failures NONE = new Failures(0, null);
    }

    /** Hash of a one-time link, and when it ends. */
    public record Link(String hash, Instant ends) {}

    /**
     * A personal access token for programs.
     *
     * @param id names it when it is listed or withdrawn
     * @param ends it is refused from then on
     */
    public record Token(String id, String label, String hash, Role role, Instant created, Instant ends) {}

    /** Creates an account of which the person has no password yet. */
    static Account create(String name, Role role, int principal, Instant now) {
        return new Account(name, null, role, principal, now, true, 1, Failures.NONE, null, List.of());
    }

    /** Returns whether this may be the name of an account. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    Account withPassword(String hash) {
        return new Account(name, hash, role, principal, created, active, version + 1, Failures.NONE, null, tokens);
    }

    Account withLink(@Nullable Link next) {
        return new Account(name, passwordHash, role, principal, created, active, version, failures, next, tokens);
    }

    Account withFailures(Failures next) {
        return new Account(name, passwordHash, role, principal, created, active, version, next, link, tokens);
    }

    Account withTokens(List<Token> next) {
        return new Account(name, passwordHash, role, principal, created, active, version, failures, link, next);
    }

    Account deactivated() {
        return new Account(name, null, role, principal, created, false, version + 1, Failures.NONE, null, List.of());
    }
}
