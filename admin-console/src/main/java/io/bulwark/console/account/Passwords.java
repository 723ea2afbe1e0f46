package io.bulwark.console.account;

import io.bulwark.console.http.ApiException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.crypto.argon2.Argon2PasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.stereotype.Component;

/** Passwords: their rules, and their Argon2id hashes. */
@Component
public class Passwords {
    static final int LENGTH_MIN = 12;
    static final int LENGTH_MAX = 128;

    /** Each hash takes 16 MiB, so a flood of sign-ins must wait. */
    private static final int HASHES_AT_ONCE = 2;

    private static final long WAIT_SECONDS = 5;
    private static final int DISTINCT_MIN = 5;

    /** Passwords of the length that people choose first. */
    private static final Set<String> COMMON = Set.of(
            "passwordpassword",
            "password1234",
            "password12345",
            "123456789012",
            "1234567890123",
            "qwertyuiop123",
            "qwertyuiopasdf",
            "administrator",
            "administrator1",
            "adminadminadmin",
            "letmeinletmein",
            "changeme1234",
            "changemechangeme",
            "welcome12345",
            "iloveyou1234",
            "correcthorsebatterystaple",
            "bulwarkbulwark",
            "bulwark12345");

    private final PasswordEncoder encoder = Argon2PasswordEncoder.defaultsForSpringSecurity_v5_8();
    private final Semaphore turns = new Semaphore(HASHES_AT_ONCE, true);
    private @Nullable String nobody;

    /** Refuses a password that is easily guessed. */
    public void check(String name, String password) {
        if (password.length() < LENGTH_MIN || password.length() > LENGTH_MAX) {
            throw bad("a password has " + LENGTH_MIN + " to " + LENGTH_MAX + " characters");
        }
        String lower = password.toLowerCase(Locale.ROOT);
        if (COMMON.contains(lower) || lower.chars().distinct().count() < DISTINCT_MIN) {
            throw bad("this password is among the first that are guessed");
        }
        if (lower.contains(name) && password.length() - name.length() < LENGTH_MIN) {
            throw bad("a password does not consist of the name and a few characters more");
        }
    }

    /** Returns the hash of a password, with its parameters. */
    public String hash(String password) {
        return inTurn(() -> String.valueOf(encoder.encode(password)));
    }

    /**
     * Returns whether a password has this hash. Without a hash it takes as long and returns false, so that time does not
     * tell which names have accounts.
     */
    boolean matches(String password, @Nullable String hash) {
        if (password.length() > LENGTH_MAX) {
            return false;
        }
        boolean matches = encoder.matches(password, hash == null ? hashOfNobody() : hash);
        return hash != null && matches;
    }

    /** Does something that hashes a password, of which few are done at a time. */
    public <T> T inTurn(Supplier<T> work) {
        try {
            if (!turns.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
                throw busy();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw busy();
        }
        try {
            return work.get();
        } finally {
            turns.release();
        }
    }

    private synchronized String hashOfNobody() {
        String hash = nobody;
        if (hash == null) {
            hash = String.valueOf(encoder.encode(Secret.make()));
            nobody = hash;
        }
        return hash;
    }

    private static ApiException busy() {
        return ApiException.of(HttpStatus.SERVICE_UNAVAILABLE, "many persons sign in now; try again");
    }

    private static ApiException bad(String message) {
        return ApiException.badField("password", message);
    }
}
