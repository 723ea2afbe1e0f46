package io.bulwark.console.account;

import io.bulwark.console.account.Account.Failures;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Sign-ins with a password, and the bounds on guessing: a name is locked after {@value #FAILURES_PER_NAME} failures, and an
 * address after {@value #FAILURES_PER_ADDRESS} within the same time. Names without an account behave the same. The counts of
 * accounts outlive a restart; memory for all others is bounded.
 */
@Component
public class SignInAttempts {
    static final int FAILURES_PER_NAME = 10;
    static final int FAILURES_PER_ADDRESS = 60;
    static final Duration LOCKED = Duration.ofMinutes(15);
    private static final int REMEMBERED_MAX = 10_000;

    private final Accounts accounts;
    private final Passwords passwords;
    private final AccessLog log;
    private final Clock clock;
    private final Map<String, Failures> unknownNames = bounded();
    private final Map<String, Window> addresses = bounded();

    /** Failures from an address since a point in time. */
    private record Window(Instant since, int failures) {}

    /** Outcome of a sign-in. */
    public enum Outcome {
        SIGNED_IN,
        REFUSED,
        LOCKED
    }

    @Autowired
    SignInAttempts(Accounts accounts, Passwords passwords, AccessLog log) {
        this(accounts, passwords, log, Clock.systemUTC());
    }

    SignInAttempts(Accounts accounts, Passwords passwords, AccessLog log, Clock clock) {
        this.accounts = accounts;
        this.passwords = passwords;
        this.log = log;
        this.clock = clock;
    }

    /** Checks a name and its password. */
    public Outcome attempt(String name, String password, String address) {
        // Counts are read in turn too: attempts at the same time get no more guesses than attempts one by one.
        return passwords.inTurn(() -> {
            if (!Account.isName(name)) {
                return Outcome.REFUSED;
            }
            if (isLocked(name, address)) {
                return Outcome.LOCKED;
            }
            Optional<Account> account = accounts.find(name).filter(Account::active);
            @Nullable String hash = account.map(Account::passwordHash).orElse(null);
            if (!passwords.matches(password, hash)) {
                return fail(name, address);
            }
            if (account.isPresent() && !account.get().failures().equals(Failures.NONE)) {
                accounts.setFailures(name, Failures.NONE);
            }
            log.add(AccessLog.Event.SIGNED_IN, name, address, "password");
            return Outcome.SIGNED_IN;
        });
    }

    /** Returns whether too many sign-ins of any kind failed from this address. */
    public synchronized boolean isLocked(String address) {
        Window window = addresses.get(address);
        return window != null
                && window.failures >= FAILURES_PER_ADDRESS
                && clock.instant().isBefore(window.since.plus(LOCKED));
    }

    private synchronized boolean isLocked(String name, String address) {
        Instant until = failures(name).lockedUntil();
        return isLocked(address) || (until != null && clock.instant().isBefore(until));
    }

    /**
     * Records a refused sign-in that was none with a password; it counts against the address alone. Those of a locked address
     * are not recorded, so that nobody fills the log.
     */
    public synchronized void refuse(String name, String address, String why) {
        if (isLocked(address)) {
            return;
        }
        log.add(AccessLog.Event.REFUSED, name, address, why);
        count(address, clock.instant());
    }

    private void count(String address, Instant now) {
        Window window = addresses.get(address);
        boolean fresh = window == null || !now.isBefore(window.since.plus(LOCKED));
        Window counted = window == null || fresh ? new Window(now, 1) : new Window(window.since, window.failures + 1);
        addresses.put(address, counted);
        if (counted.failures == FAILURES_PER_ADDRESS) {
            log.add(AccessLog.Event.LOCKED, "", address, counted.failures + " failed sign-ins from this address");
        }
    }

    private synchronized Outcome fail(String name, String address) {
        Instant now = clock.instant();
        Failures before = failures(name);
        // A lock that has ended starts the count anew.
        int count = (before.lockedUntil() == null ? before.count() : 0) + 1;
        boolean locks = count >= FAILURES_PER_NAME;
        Failures next = new Failures(count, locks ? now.plus(LOCKED) : null);
        if (accounts.find(name).isPresent()) {
            accounts.setFailures(name, next);
        } else {
            unknownNames.put(name, next);
            accounts.rewrite();
        }
        log.add(AccessLog.Event.REFUSED, name, address, "wrong name or password");
        if (locks) {
            log.add(AccessLog.Event.LOCKED, name, address, count + " failed sign-ins; until " + next.lockedUntil());
        }
        count(address, now);
        return Outcome.REFUSED;
    }

    private Failures failures(String name) {
        return accounts.find(name)
                .map(Account::failures)
                .orElseGet(() -> unknownNames.getOrDefault(name, Failures.NONE));
    }

    private static <V> Map<String, V> bounded() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                return size() > REMEMBERED_MAX;
            }
        };
    }
}
