package io.bulwark.appliance;

import io.bulwark.appliance.boot.ProcessLimits;
import io.bulwark.appliance.cli.BulwarkCommand;
import java.security.Security;
import java.util.Arrays;
import java.util.Set;
import java.util.logging.LogManager;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** The entry point of the one executable. */
public final class Main {
    private static final Set<String> SERVERS = Set.of("up", "supervise", "console");

    /** All members in one process. */
    private static final Set<String> APPLIANCES = Set.of("up", "demo");

    /** Roles that are, with a word behind them as in {@code node add}, commands of operators. */
    private static final Set<String> SERVERS_IF_ALONE = Set.of("node", "replica", "s3");

    private Main() {}

    public static void main(String[] args) {
        requireLimits(args);
        if (args.length > 0 && Set.of("up", "supervise").contains(args[0])) {
            // Members connect and disconnect by themselves, and `bulwark status` shows who is connected.
            System.setProperty("bulwark.log.links", System.getProperty("bulwark.log.links", "warn"));
        }
        if (isServer(args)) {
            // Before the first logger is made. People who only ask get answers, not logs.
            System.setProperty("bulwark.log", System.getProperty("bulwark.log", "info"));
            System.setProperty("bulwark.log.others", System.getProperty("bulwark.log.others", "warn"));
            // A member that restarts elsewhere keeps only its name, and by default the JDK caches addresses for 30
            // seconds.
            Security.setProperty("networkaddress.cache.ttl", "3");
            Security.setProperty("networkaddress.cache.negative.ttl", "1");
        }
        LogManager.getLogManager().reset();
        SLF4JBridgeHandler.install();
        // Spring Boot leaves logging as it is.
        System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
        System.exit(BulwarkCommand.run(args));
    }

    /** Ends the process if its limits are too low. Hardly a class can be loaded then, so that this needs none. */
    private static void requireLimits(String[] args) {
        ProcessLimits.problem(filesNeeded(args)).ifPresent(problem -> {
            boolean json = Arrays.asList(args).contains("--json");
            int code = ProcessLimits.EXIT_CODE;
            System.err.println(json ? "{\"error\":\"" + problem + "\",\"code\":" + code + "}" : "bulwark: " + problem);
            System.exit(code);
        });
    }

    static long filesNeeded(String[] args) {
        if (args.length > 0 && APPLIANCES.contains(args[0])) {
            return ProcessLimits.APPLIANCE_FILES;
        }
        return isServer(args) ? ProcessLimits.MEMBER_FILES : ProcessLimits.COMMAND_FILES;
    }

    /** Returns whether this process becomes a member, whose log an operator reads. */
    static boolean isServer(String[] args) {
        if (args.length == 0) {
            return false;
        }
        boolean alone = args.length == 1 || args[1].startsWith("-");
        return SERVERS.contains(args[0]) || (alone && SERVERS_IF_ALONE.contains(args[0]));
    }
}
