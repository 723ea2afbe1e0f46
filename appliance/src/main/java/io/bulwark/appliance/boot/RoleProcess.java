package io.bulwark.appliance.boot;

import io.bulwark.appliance.admin.AdminServer;
import io.bulwark.appliance.admin.HealthWatch;
import io.bulwark.appliance.admin.MonitoredMember;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Process of a role, kept until it is told to end (SIGTERM, SIGINT). Then the member leaves: it is no longer ready,
 * accepts nothing more, finishes work in flight, and hands over leadership. The process ends with 0, or with 1 if that
 * fails or takes longer than {@link #GRACE}.
 */
public final class RoleProcess {
    private static final Logger LOG = LoggerFactory.getLogger(RoleProcess.class);

    /** Longer than any step of leaving waits for; less than what container engines and systemd are told to wait. */
    static final Duration GRACE = Duration.ofSeconds(15);

    /**
     * Exit code (EX_CONFIG): a configuration, a key or the genesis does not fit, or the member was revoked. A restart
     * does not help.
     */
    public static final int CONFIG = 78;

    private static final int LEFT = 0;
    private static final int CUT_SHORT = 1;

    private RoleProcess() {}

    /**
     * Waits until the member has ended, and ends the JVM.
     *
     * @param admin address of its health and metrics, if it serves them
     * @param health the {@link HealthFile} to keep, if given
     * @throws IOException if the admin endpoint cannot listen; the member is closed then
     */
    static int until(MonitoredMember member, Optional<InetSocketAddress> admin, @Nullable Path health)
            throws IOException {
        return until(member, admin, health, GRACE, new CompletableFuture<>());
    }

    /**
     * As the other, with other time to leave.
     *
     * @param over done with an exit code if the member has nothing more to do
     */
    static int until(
            MonitoredMember member,
            Optional<InetSocketAddress> admin,
            @Nullable Path health,
            Duration grace,
            CompletableFuture<Integer> over)
            throws IOException {
        Supplier<List<MonitoredMember>> members = () -> List.of(member);
        HealthWatch watch = HealthWatch.start(members);
        if (admin.isPresent()) {
            try {
                var _ = AdminServer.start(member.name(), admin.get(), watch, members);
            } catch (IOException e) {
                member.close();
                throw e;
            }
        }
        HealthFile.keep(health, watch);
        // In a hook the exit code is that of the signal already; halting replaces it.
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform()
                        .unstarted(() -> Runtime.getRuntime().halt(leave(member, watch, grace, over.getNow(LEFT)))));
        // A reader of this line may signal the process immediately.
        System.out.println(member.name() + " is up");
        return over.join();
    }

    /**
     * Makes the member leave, waits for that at most {@code grace}, and returns the exit code.
     *
     * @param left the exit code if it left in time
     */
    static int leave(MonitoredMember member, HealthWatch watch, Duration grace, int left) {
        watch.leave();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(
                member::close,
                closing -> Thread.ofPlatform().daemon().name("leaving").start(closing));
        try {
            closed.get(grace.toMillis(), TimeUnit.MILLISECONDS);
            System.out.println(member.name() + " is down");
            return left;
        } catch (TimeoutException e) {
            System.err.println(member.name() + " did not stop within " + grace.toSeconds() + " s");
        } catch (ExecutionException e) {
            LOG.error("{} did not stop", member.name(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return CUT_SHORT;
    }
}
