package io.bulwark.protocol.mutation;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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

/** Runs a detector on mutated classes up to its first failure. */
public final class Trial {
    private static final long SEED = 1;

    private final Launcher launcher = LauncherFactory.create();

    /** What failed first; empty if all passed. */
    public Optional<Throwable> run(Map<String, byte[]> mutated, Detector detector) {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        String seedBefore = System.getProperty("bulwark.seed");
        String runsBefore = System.getProperty("bulwark.runs");
        MutatedClasses classes = new MutatedClasses(mutated, detector.className());
        try {
            Thread.currentThread().setContextClassLoader(classes);
            System.setProperty("bulwark.seed", Long.toString(SEED));
            System.setProperty("bulwark.runs", Integer.toString(detector.runs()));
            Class<?> test = classes.loadClass(detector.className());
            return run(DiscoverySelectors.selectMethod(test, method(test, detector.method())));
        } catch (ClassNotFoundException e) {
            throw new AssertionError("no detector " + detector, e);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            restore("bulwark.seed", seedBefore);
            restore("bulwark.runs", runsBefore);
        }
    }

    private static void restore(String property, @Nullable String before) {
        if (before == null) {
            System.clearProperty(property);
        } else {
            System.setProperty(property, before);
        }
    }

    private static Method method(Class<?> test, String name) {
        return Arrays.stream(test.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(test + " has no test " + name));
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
            throw new AssertionError("the detector could not run: " + selector, first.orElse(null));
        }
        return first;
    }
}
