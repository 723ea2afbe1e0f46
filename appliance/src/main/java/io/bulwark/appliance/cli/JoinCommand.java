package io.bulwark.appliance.cli;

import io.bulwark.client.config.JoinToken;
import io.bulwark.client.registry.Joining;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bulwark join TOKEN}. */
@Command(
        name = "join",
        description = {
            "Make this machine the principal that an operator has invited with `bulwark principal invite`.",
            "Makes a key, which never leaves this machine, and writes the identity, the genesis file and, for a client,"
                    + " client.properties. Interrupted, it may be run again."
        })
final class JoinCommand implements Callable<Integer> {
    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Parameters(paramLabel = "TOKEN", description = "The line that `bulwark principal invite` printed.")
    private String token = "";

    @Option(names = "--out", paramLabel = "DIR", description = "Where to (default: here).")
    private Path out = Path.of("");

    @Override
    public Integer call() throws IOException {
        JoinToken parsed;
        try {
            parsed = JoinToken.parse(token.strip());
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
        if (parsed.expiresMillis() <= System.currentTimeMillis()) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "the token has expired at " + Instant.ofEpochMilli(parsed.expiresMillis())
                            + "; have an operator invite " + parsed.principal() + " again");
        }
        Joining.Joined joined = Joining.join(parsed, out.toAbsolutePath().normalize(), new SecureRandom());
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("principal", joined.principal().toString());
        json.put("key", joined.key().text());
        json.put("files", joined.files().stream().map(Path::toString).toList());
        global.print(
                json,
                "This machine is " + joined.principal() + " now, and may do what it is granted. Wrote "
                        + joined.files().stream().map(Path::toString).collect(Collectors.joining(", ")) + ".");
        return 0;
    }
}
