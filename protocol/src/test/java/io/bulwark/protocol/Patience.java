package io.bulwark.protocol;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.jspecify.annotations.NullMarked;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Tests wait for states, however long a busy machine takes; the bound only ends what hangs. For all modules that have the test-jar. */
@NullMarked
public final class Patience implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(2));
    }
}
