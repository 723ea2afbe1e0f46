package io.bulwark.appliance.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.admin.HealthWatch;
import io.bulwark.appliance.admin.MonitoredMember;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@NullMarked
class RoleProcessTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(300);

    private final CountDownLatch atRest = new CountDownLatch(1);

    @AfterEach
    void rest() {
        atRest.countDown();
    }

    @Test
    void whoIsAskedToLeaveIsNotReadyWhileItFinishesAndEndsWithTheCodeThatItIsGiven() {
        AtomicReference<String> meanwhile = new AtomicReference<>("");
        AtomicReference<HealthWatch> asked = new AtomicReference<>();
        MonitoredMember member = closing(() ->
                meanwhile.set(Objects.requireNonNull(asked.get()).problems().getOrDefault("member", "ready")));
        try (HealthWatch watch = HealthWatch.start(() -> List.of(member))) {
            asked.set(watch);
            assertThat(RoleProcess.leave(member, watch, PATIENCE, 0)).isZero();
            assertThat(meanwhile).hasValue("it is shutting down");
            assertThat(RoleProcess.leave(member, watch, PATIENCE, RoleProcess.CONFIG))
                    .isEqualTo(RoleProcess.CONFIG);
        }
    }

    @Test
    void whoDoesNotComeToRestInTimeIsCutShort() {
        MonitoredMember member = closing(this::awaitRest);
        try (HealthWatch watch = HealthWatch.start(() -> List.of(member))) {
            assertThat(RoleProcess.leave(member, watch, SHORT, 0)).isEqualTo(1);
            assertThat(RoleProcess.leave(member, watch, SHORT, RoleProcess.CONFIG))
                    .as("whatever it ends for")
                    .isEqualTo(1);
        }
    }

    @Test
    void whoFailsToFinishHasNotLeft() {
        MonitoredMember member = closing(() -> {
            throw new IllegalStateException("the disk is gone");
        });
        try (HealthWatch watch = HealthWatch.start(() -> List.of(member))) {
            assertThat(RoleProcess.leave(member, watch, PATIENCE, 0)).isEqualTo(1);
        }
    }

    @Test
    void theProcessEndsWithThatCodeAndNotWithTheSignals() throws Exception {
        assertThat(exitCodeAtSigterm("prompt")).isZero();
        assertThat(exitCodeAtSigterm("stuck")).isEqualTo(1);
    }

    private static int exitCodeAtSigterm(String kind) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Role.class.getName(),
                        kind)
                .redirectErrorStream(true)
                .start();
        try (BufferedReader out = process.inputReader()) {
            String line = out.readLine();
            while (line != null && !line.equals("member is up")) {
                line = out.readLine();
            }
            assertThat(line).as("it begins").isNotNull();
            process.toHandle().destroy();
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** A process of its own. */
    static final class Role {
        private Role() {}

        /** Ends with what its member does: {@code stuck} if that never comes to rest. */
        public static void main(String... kind) throws IOException {
            boolean stuck = kind[0].equals("stuck");
            MonitoredMember member = closing(() -> {
                if (stuck) {
                    new CompletableFuture<Void>().join();
                }
            });
            System.exit(RoleProcess.until(
                    member, Optional.empty(), null, stuck ? SHORT : PATIENCE, new CompletableFuture<>()));
        }
    }

    private void awaitRest() {
        try {
            atRest.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A member that is well. */
    private static MonitoredMember closing(Runnable close) {
        MeterRegistry meters = new SimpleMeterRegistry();
        return new MonitoredMember() {
            @Override
            public String name() {
                return "member";
            }

            @Override
            public String problem() {
                return "";
            }

            @Override
            public String broken() {
                return "";
            }

            @Override
            public MeterRegistry meters() {
                return meters;
            }

            @Override
            public void close() {
                close.run();
            }
        };
    }
}
