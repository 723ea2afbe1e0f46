package io.bulwark.protocol.mutation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs one test method on mutated classes up to its first failure, with a fixed seed. */
final class MutationTrial {
    private static final String SEED = "1";

    private final Launcher launcher = LauncherFactory.create();
    private final Duration limit;

    /** @param limit a test that takes longer has found nothing */
    MutationTrial(Duration limit) {
        this.limit = limit;
    }

    /**
     * The first failure; empty if all passed.
     *
     * @throws AssertionError if the test could not run or did not end in time
     */
    Optional<Throwable> run(Map<String, byte[]> mutated, Method test, int runs) {
        Map<String, String> settings = Map.of("bulwark.seed", SEED, "bulwark.runs", Integer.toString(runs));
        Map<String, Optional<String>> before = new HashMap<>();
        settings.forEach((key, value) -> before.put(key, Optional.ofNullable(System.setProperty(key, value))));
        try {
            return runInTime(mutated, test);
        } finally {
            before.forEach((key, value) ->
                    value.ifPresentOrElse(old -> System.setProperty(key, old), () -> System.clearProperty(key)));
        }
    }

    private Optional<Throwable> runInTime(Map<String, byte[]> mutated, Method test) {
        ClassLoader classes =
                new MutatedClasses(mutated, test.getDeclaringClass().getName());
        FutureTask<Optional<Throwable>> result = new FutureTask<>(() -> run(classes, test));
        Thread thread = new Thread(result, "trial");
        thread.setDaemon(true);
        thread.setContextClassLoader(classes);
        thread.start();
        try {
            return result.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            thread.interrupt();
            throw new AssertionError("the test did not end within " + limit.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Optional<Throwable> run(ClassLoader classes, Method test) {
        try {
            Class<?> testClass = classes.loadClass(test.getDeclaringClass().getName());
            String parameters =
                    Stream.of(test.getParameterTypes()).map(Class::getName).collect(Collectors.joining(","));
            return run(DiscoverySelectors.selectMethod(testClass, test.getName(), parameters));
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private Optional<Throwable> run(DiscoverySelector selector) {
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request().selectors(selector).build();
        CancellationToken cancellation = CancellationToken.create();
        List<Throwable> failures = new ArrayList<>();
        int[] ran = {0};
        launcher.execute(LauncherExecutionRequestBuilder.request(request)
                .cancellationToken(cancellation)
                .listeners(new TestExecutionListener() {
                    @Override
                    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                        ran[0] += test.isTest() ? 1 : 0;
                        if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                            result.getThrowable().ifPresent(failures::add);
                            cancellation.cancel();
                        }
                    }
                })
                .build());
        Optional<Throwable> first = failures.stream().findFirst();
        if (ran[0] == 0 || first.filter(LinkageError.class::isInstance).isPresent()) {
            throw new AssertionError("the test could not run: " + selector, first.orElse(null));
        }
        return first;
    }
}
