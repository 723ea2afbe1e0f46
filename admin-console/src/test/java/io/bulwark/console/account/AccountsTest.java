package io.bulwark.console.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.console.http.ApiException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccountsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path directory = Path.of("");

    @Test
    void accountsOutliveARestartInAFileOfTheOwner() throws IOException {
        Path fresh = directory.resolve("console");
        Accounts accounts = new Accounts(fresh, at(NOW));
        accounts.add("alice", Role.ADMINISTRATOR, 19);
        accounts.setPassword("alice", "{hash}");
        Accounts.NewToken token = accounts.addToken("alice", "backup", Role.VIEWER, 90);
        assertThat(new Accounts(fresh, at(NOW)).list()).isEqualTo(accounts.list());
        assertThat(new Accounts(fresh, at(NOW)).findByToken(token.secret())).isPresent();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fresh)))
                .isEqualTo("rwx------");
        Path file = fresh.resolve("accounts.json");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.readString(file, StandardCharsets.UTF_8))
                .as("secrets are hashed")
                .doesNotContain(token.secret());
    }

    @Test
    void aTokenEndsWithItsDays() {
        Accounts accounts = new Accounts(directory, at(NOW));
        accounts.add("carol", Role.VIEWER, 20);
        assertThatThrownBy(() -> accounts.addToken("carol", "for ever", Role.VIEWER, 367))
                .isInstanceOf(ApiException.class);
        String secret = accounts.addToken("carol", "a week", Role.VIEWER, 7).secret();
        assertThat(new Accounts(directory, at(NOW.plusSeconds(7 * 86_400 - 1))).findByToken(secret))
                .isPresent();
        assertThat(new Accounts(directory, at(NOW.plusSeconds(7 * 86_400))).findByToken(secret))
                .isEmpty();
    }

    @Test
    void aTokenEndsWithItsWithdrawalAndWithItsAccount() {
        Accounts accounts = new Accounts(directory, at(NOW));
        accounts.add("bob", Role.OPERATOR, 20);
        Accounts.NewToken first = accounts.addToken("bob", "one", Role.VIEWER, 90);
        Accounts.NewToken second = accounts.addToken("bob", "two", Role.OPERATOR, 90);
        assertThatThrownBy(() -> accounts.addToken("bob", "three", Role.ADMINISTRATOR, 90))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("at most the role");
        accounts.removeToken("bob", first.token().id());
        assertThat(accounts.findByToken(first.secret())).isEmpty();
        assertThat(accounts.findByToken(second.secret())).isPresent();
        accounts.deactivate("bob");
        assertThat(accounts.findByToken(second.secret())).isEmpty();
    }

    @Test
    void aLinkEndsWithThePasswordAndAfterADay() {
        Accounts accounts = new Accounts(directory, at(NOW));
        accounts.add("bob", Role.OPERATOR, 20);
        String link = accounts.makeLink("bob");
        assertThat(accounts.findByLink(link)).isPresent();
        assertThat(new Accounts(directory, at(NOW.plus(Duration.ofDays(1)))).findByLink(link))
                .isEmpty();
        accounts.setPassword("bob", "{hash}");
        assertThat(accounts.findByLink(link)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Alice", "-a", "a b", "a/b", "<script>", "é"})
    void badNamesAreRefused(String name) {
        Accounts accounts = new Accounts(directory, at(NOW));
        assertThatThrownBy(() -> accounts.checkNew(name)).isInstanceOf(ApiException.class);
    }

    /** A corrupt file must not let a start make a set-up link for whoever reads the log. */
    @Test
    void aCorruptFileIsAnErrorAndNotAnEmptyList() throws IOException {
        Files.writeString(directory.resolve("accounts.json"), "{\"accounts\": [");
        assertThatThrownBy(() -> new Accounts(directory, at(NOW)))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("accounts.json is corrupt");
    }

    @Test
    void aSetupLinkEndsAfterAnHourAndWithItsUse() {
        SetupLink link = new SetupLink(directory, at(NOW));
        String token = link.make();
        assertThat(link.isValid(token)).isTrue();
        assertThat(link.isValid(token + "x")).isFalse();
        assertThat(new SetupLink(directory, at(NOW.plus(SetupLink.VALIDITY).minusMillis(1))).isValid(token))
                .isTrue();
        assertThat(new SetupLink(directory, at(NOW.plus(SetupLink.VALIDITY))).isValid(token))
                .isFalse();
        String newer = link.make();
        assertThat(link.isValid(token)).as("the newest one alone works").isFalse();
        link.end();
        assertThat(link.isValid(newer)).isFalse();
    }

    @Test
    void guessablePasswordsAreRefused() {
        Passwords passwords = new Passwords();
        Stream.of("short", "passwordpassword", "aaaaaaaaaaaaaaaa", "administrator", "alice1234567", "x".repeat(129))
                .forEach(password -> assertThatThrownBy(() -> passwords.check("alice", password))
                        .as(password)
                        .isInstanceOf(ApiException.class));
        passwords.check("alice", "a long river of words");
    }

    @Test
    void theAccessLogIsBounded() throws IOException {
        AccessLog log = new AccessLog(directory, at(NOW));
        for (int i = 0; i < 12_000; i++) {
            log.add(AccessLog.Event.REFUSED, "alice", "192.0.2.1", "x".repeat(300));
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.mapToLong(file -> file.toFile().length()).sum()).isLessThan(3 << 20);
        }
        assertThat(log.last()).hasSize(500);
        assertThat(new AccessLog(directory, at(NOW)).last()).hasSize(500);
    }

    private static Clock at(Instant now) {
        return Clock.fixed(now, ZoneOffset.UTC);
    }
}
