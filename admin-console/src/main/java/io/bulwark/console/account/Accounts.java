package io.bulwark.console.account;

import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.http.ApiException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/** The accounts, in {@code accounts.json}: each change is in the file before it counts. */
@Component
public class Accounts {
    /** More accounts are refused. */
    static final int ACCOUNTS_MAX = 900;

    /** Beginning of every token, by which scanners of source code find one that was published. */
    static final String TOKEN_PREFIX = "bwk_";

    private static final int LABEL_MAX = 64;
    private static final Duration LINK_VALIDITY = Duration.ofDays(1);

    private final Path file;
    private final Clock clock;
    private final NavigableMap<String, Account> accounts = new TreeMap<>();

    /** Content of the file. */
    private record Content(List<Account> accounts) {}

    /** The bearer of a token. */
    public record TokenUse(Account account, Account.Token token) {}

    /** A token that was just made, with its secret, which is shown once. */
    public record NewToken(Account.Token token, String secret) {}

    @Autowired
    Accounts(ConsoleSettings settings) {
        this(settings.directory(), Clock.systemUTC());
    }

    /** Opens the accounts of a console's directory. */
    public Accounts(Path directory, Clock clock) {
        this.file = directory.resolve("accounts.json");
        this.clock = clock;
        JsonFile.read(file, Content.class)
                .ifPresent(content -> content.accounts.forEach(account -> accounts.put(account.name(), account)));
    }

    /** Returns all accounts by name. */
    public synchronized List<Account> list() {
        return List.copyOf(accounts.values());
    }

    public synchronized Optional<Account> find(String name) {
        return Optional.ofNullable(accounts.get(name));
    }

    /** Returns an account; fails if there is none of this name. */
    public Account require(String name) {
        return find(name).orElseThrow(() -> ApiException.notFound("there is no account " + name));
    }

    /** Returns whether somebody can sign in and administer. */
    public synchronized boolean hasAdministrator() {
        return accounts.values().stream()
                .anyMatch(account ->
                        account.active() && account.role() == Role.ADMINISTRATOR && account.passwordHash() != null);
    }

    /** Fails if an account of this name cannot be added. */
    public synchronized void checkNew(String name) {
        if (!Account.isName(name)) {
            throw ApiException.badField(
                    "name",
                    "a name has 1 to 64 of a to z, 0 to 9, dot, dash and underscore, and begins with a letter or"
                            + " digit");
        }
        if (accounts.containsKey(name)) {
            throw ApiException.conflict("there is an account " + name + " already; names are not given twice");
        }
        if (accounts.size() >= ACCOUNTS_MAX) {
            throw ApiException.conflict("there are " + ACCOUNTS_MAX + " accounts already");
        }
    }

    /** Adds an account whose person has no password yet. */
    public synchronized Account add(String name, Role role, int principal) {
        checkNew(name);
        Account account = Account.create(name, role, principal, clock.instant());
        put(account);
        return account;
    }

    /** Sets the hash of the password; ends sessions, locks and links. */
    public Account setPassword(String name, String hash) {
        return change(name, account -> account.withPassword(hash));
    }

    /** Makes a link with which the person chooses a password, in place of an earlier one. */
    public String makeLink(String name) {
        String secret = Secret.make();
        change(
                name,
                account -> account.withLink(
                        new Account.Link(Secret.hash(secret), clock.instant().plus(LINK_VALIDITY))));
        return secret;
    }

    /** Returns the account of a link that is valid. */
    public synchronized Optional<Account> findByLink(String secret) {
        Instant now = clock.instant();
        return accounts.values().stream()
                .filter(account -> {
                    Account.Link link = account.link();
                    return account.active()
                            && link != null
                            && now.isBefore(link.ends())
                            && Secret.matches(secret, link.hash());
                })
                .findFirst();
    }

    /** Ends an account for good: its password, tokens and links are gone. */
    public Account deactivate(String name) {
        return change(name, Account::deactivated);
    }

    /** Writes the file as it is. A failed sign-in does so under any name, so that its time does not tell the names. */
    synchronized void rewrite() {
        JsonFile.write(file, new Content(List.copyOf(accounts.values())));
    }

    void setFailures(String name, Account.Failures failures) {
        change(name, account -> account.withFailures(failures));
    }

    /**
     * Makes a personal access token.
     *
     * @param days for which it is valid, 1 to {@link Account#TOKEN_DAYS_MAX}
     */
    public NewToken addToken(String name, String label, Role role, int days) {
        if (days < 1 || days > Account.TOKEN_DAYS_MAX) {
            throw ApiException.badField("days", "a token is valid for 1 to " + Account.TOKEN_DAYS_MAX + " days");
        }
        if (label.isBlank() || label.length() > LABEL_MAX) {
            throw ApiException.badField("label", "a label has 1 to " + LABEL_MAX + " characters");
        }
        String secret = TOKEN_PREFIX + Secret.make();
        String hash = Secret.hash(secret);
        Instant now = clock.instant();
        Account.Token token = new Account.Token(
                hash.substring(0, 12), label.strip(), hash, role, now, now.plus(Duration.ofDays(days)));
        change(name, account -> {
            long valid = account.tokens().stream()
                    .filter(old -> now.isBefore(old.ends()))
                    .count();
            if (valid >= Account.TOKENS_MAX) {
                throw ApiException.conflict(
                        name + " has " + Account.TOKENS_MAX + " tokens already; withdraw one that is not needed");
            }
            if (!account.role().includes(role)) {
                throw ApiException.forbidden("a token has at most the role of its person, " + account.role());
            }
            List<Account.Token> tokens = new ArrayList<>(account.tokens());
            tokens.removeIf(old -> !now.isBefore(old.ends()));
            tokens.add(token);
            return account.withTokens(tokens);
        });
        return new NewToken(token, secret);
    }

    /** Withdraws a token. */
    public void removeToken(String name, String id) {
        change(name, account -> {
            List<Account.Token> tokens = new ArrayList<>(account.tokens());
            if (!tokens.removeIf(token -> token.id().equals(id))) {
                throw ApiException.notFound("there is no token " + id);
            }
            return account.withTokens(tokens);
        });
    }

    /** Returns the bearer of a token; empty if nobody active has it. */
    public synchronized Optional<TokenUse> findByToken(String secret) {
        if (!secret.startsWith(TOKEN_PREFIX)) {
            return Optional.empty();
        }
        String hash = Secret.hash(secret);
        Instant now = clock.instant();
        for (Account account : accounts.values()) {
            for (Account.Token token : account.tokens()) {
                if (account.active()
                        && now.isBefore(token.ends())
                        && token.hash().equals(hash)) {
                    return Optional.of(new TokenUse(account, token));
                }
            }
        }
        return Optional.empty();
    }

    private synchronized Account change(String name, UnaryOperator<Account> change) {
        Account next = change.apply(require(name));
        put(next);
        return next;
    }

    private void put(Account account) {
        TreeMap<String, Account> next = new TreeMap<>(accounts);
        next.put(account.name(), account);
        JsonFile.write(file, new Content(List.copyOf(next.values())));
        accounts.put(account.name(), account);
    }
}
