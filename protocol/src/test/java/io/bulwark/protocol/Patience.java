package io.bulwark.protocol;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.jspecify.annotations.NullMarked;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Tests wait for what must happen as long as a busy machine may need. They look often at first, then ten times a second. */
@NullMarked
public final class Patience implements LauncherSessionListener {
    private static final int FIRST_MILLIS = 5;
    private static final int LAST_MILLIS = 100;

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(2));
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(
                (polls, _) -> Duration.ofMillis(Math.min(LAST_MILLIS, (long) FIRST_MILLIS * polls)));
    }
}
