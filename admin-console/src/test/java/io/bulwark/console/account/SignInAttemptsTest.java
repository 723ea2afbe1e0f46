package io.bulwark.console.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.console.account.SignInAttempts.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SignInAttemptsTest {
    private static final String PASSWORD = "a long river of words";

    @TempDir
    private Path directory = Path.of("");

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final Passwords passwords = new Passwords();
    private Accounts accounts = new Accounts(Path.of("unused"), Clock.systemUTC());
    private SignInAttempts attempts = attempts();

    @BeforeEach
    void begin() {
        accounts = new Accounts(directory, clock());
        accounts.add("alice", Role.VIEWER, 16);
        accounts.setPassword("alice", passwords.hash(PASSWORD));
        attempts = attempts();
    }

    @Test
    void theTenthFailureLocksAnAccountForAQuarterHour() {
        fail("alice", 9);
        assertThat(attempt("alice", PASSWORD)).as("nine failures").isEqualTo(Outcome.SIGNED_IN);
        fail("alice", 10);
        assertThat(attempt("alice", PASSWORD)).isEqualTo(Outcome.LOCKED);

        accounts = new Accounts(directory, clock());
        attempts = attempts();
        now = now.plus(SignInAttempts.LOCKED.minusSeconds(1));
        assertThat(attempt("alice", PASSWORD)).as("a restart does not unlock").isEqualTo(Outcome.LOCKED);
        now = now.plusSeconds(1);
        assertThat(attempt("alice", PASSWORD)).isEqualTo(Outcome.SIGNED_IN);
        assertThat(new AccessLog(directory, clock()).last("alice"))
                .extracting(AccessLog.Entry::event)
                .contains("locked", "refused", "signed-in");
    }

    @Test
    void aNameWithoutAccountLocksLikeOneWithAccount() {
        fail("nobody", 10);
        assertThat(attempt("nobody", PASSWORD)).isEqualTo(Outcome.LOCKED);
        assertThat(attempt("alice", PASSWORD)).isEqualTo(Outcome.SIGNED_IN);
    }

    /** A write takes longer than the rest but the hash: without it, time would tell which names have accounts. */
    @Test
    void aFailureUnderAnyNameWritesTheFile() throws Exception {
        for (String name : List.of("alice", "nobody")) {
            Object before = fileKey();
            fail(name, 1);
            assertThat(fileKey()).as(name).isNotEqualTo(before);
        }
        assertThat(new Accounts(directory, clock()).list()).hasSize(1);
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.filter(file -> file.toString().endsWith(".tmp"))).isEmpty();
        }
        assertThat(Files.getPosixFilePermissions(directory.resolve("accounts.json")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    private Object fileKey() throws IOException {
        BasicFileAttributes file = Files.readAttributes(directory.resolve("accounts.json"), BasicFileAttributes.class);
        return file.fileKey() + " " + file.lastModifiedTime();
    }

    @Test
    void anAddressThatFailsUnderManyNamesIsRefused() {
        for (int i = 0; i < SignInAttempts.FAILURES_PER_ADDRESS; i++) {
            assertThat(attempt("name" + i, "wrong")).isEqualTo(Outcome.REFUSED);
        }
        assertThat(attempt("alice", PASSWORD)).isEqualTo(Outcome.LOCKED);
        assertThat(attempts.attempt("alice", PASSWORD, "192.0.2.2")).isEqualTo(Outcome.SIGNED_IN);
        now = now.plus(Duration.ofMinutes(15));
        assertThat(attempt("alice", PASSWORD)).isEqualTo(Outcome.SIGNED_IN);
    }

    @Test
    void refusedKeysCountAgainstTheirAddress() {
        for (int i = 0; i < SignInAttempts.FAILURES_PER_ADDRESS - 1; i++) {
            attempts.refuse("", "192.0.2.1", "not a key");
        }
        assertThat(attempts.isLocked("192.0.2.1")).isFalse();
        assertThat(attempt("alice", "wrong")).isEqualTo(Outcome.REFUSED);
        assertThat(attempts.isLocked("192.0.2.1")).isTrue();
        assertThat(attempts.isLocked("192.0.2.2")).isFalse();
        assertThat(attempt("alice", PASSWORD)).isEqualTo(Outcome.LOCKED);
        now = now.plus(SignInAttempts.LOCKED);
        assertThat(attempts.isLocked("192.0.2.1")).isFalse();
    }

    @Test
    void nobodySignsInToADeactivatedAccount() {
        accounts.deactivate("alice");
        assertThat(attempt("alice", PASSWORD)).isEqualTo(Outcome.REFUSED);
    }

    private void fail(String name, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(attempt(name, "wrong")).isEqualTo(Outcome.REFUSED);
        }
    }

    @Test
    void anAddressFillsTheLogOnlyUntilItIsLocked() {
        SignInAttempts attempts = attempts();
        for (int i = 0; i < 10 * SignInAttempts.FAILURES_PER_ADDRESS; i++) {
            attempts.refuse("", "192.0.2.7", "OIDC: no such state");
        }
        assertThat(attempts.isLocked("192.0.2.7")).isTrue();
        assertThat(new AccessLog(directory, clock()).last()).hasSize(SignInAttempts.FAILURES_PER_ADDRESS + 1);
    }

    private Outcome attempt(String name, String password) {
        return attempts.attempt(name, password, "192.0.2.1");
    }

    private SignInAttempts attempts() {
        return new SignInAttempts(accounts, passwords, new AccessLog(directory, clock()), clock());
    }

    private Clock clock() {
        return new Clock() {
            @Override
            public Instant instant() {
                return now;
            }

            @Override
            public ZoneOffset getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(java.time.ZoneId zone) {
                return this;
            }
        };
    }
}
