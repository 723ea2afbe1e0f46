package io.bulwark.it;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The console in a browser, as a new user would use it. */
@NullMarked
class ConsoleBrowserIT {
    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    @RegisterExtension
    static final Browser BROWSER = new Browser();

    @Test
    void theDashboardIsAccessible() {
        var address = CLUSTER.plan().consoleAddress();
        try (BrowserContext window = BROWSER.window()) {
            Page page = window.newPage();
            page.navigate("http://" + address.getHostString() + ":" + address.getPort() + "/");
            Browser.assertAccessible(page);
            Browser.picture(page, "dashboard");
        }
    }
}
