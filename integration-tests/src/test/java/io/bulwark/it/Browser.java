package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.AxeResults;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ScreenshotAnimations;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** Chromium, in which tests use the console as a person does. Where it is not installed the tests are left out. */
final class Browser implements BeforeAllCallback, AfterAllCallback, TestWatcher {
    /** Pages are slow on a machine that runs a whole cluster beside the browser. */
    private static final double PATIENCE_MILLIS = 30_000;

    private static final boolean TAKES_PICTURES = Boolean.getBoolean("bulwark.pictures");

    /** Directory of the pictures, which are kept as results of the build. */
    private static final Path PICTURES = Path.of("target", "screenshots");

    /** Elements that stand out to the right, if the page can be scrolled there. */
    private static final String WIDER = """
        () => {
          const root = document.documentElement;
          if (root.scrollWidth <= root.clientWidth + 1) return [];
          return [...document.querySelectorAll("body *")]
            .filter((each) => each.getBoundingClientRect().right > root.clientWidth + 1)
            .map((each) => each.outerHTML.slice(0, 120)).slice(0, 8);
        }\
        """;

    private static final Set<String> SERIOUS = Set.of("serious", "critical");

    private @Nullable Playwright playwright;
    private com.microsoft.playwright.@Nullable Browser chromium;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        Optional<Path> executable = Stream.of(
                        "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
        if (executable.isEmpty()) {
            System.out.println("LEFT OUT: " + context.getDisplayName() + ", since there is no chromium");
        }
        Assumptions.assumeTrue(executable.isPresent(), "there is no chromium");
        Files.createDirectories(PICTURES);
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
        Playwright made = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        playwright = made;
        chromium = made.chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(executable.get())
                        .setArgs(List.of("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (playwright != null) {
            playwright.close();
        }
    }

    /** Takes pictures of all open pages. */
    @Override
    public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
        int number = 0;
        for (BrowserContext window : Objects.requireNonNull(chromium).contexts()) {
            for (Page page : window.pages()) {
                Path picture = PICTURES.resolve(
                        "failed-" + context.getDisplayName().replaceAll("\\W", "") + "-" + number++ + ".png");
                System.out.println("picture of " + page.url() + ": " + picture);
                page.screenshot(new Page.ScreenshotOptions().setPath(picture).setFullPage(true));
            }
        }
    }

    /** Returns a window of its own, with no cookies. */
    BrowserContext window() {
        return window(1280, 900);
    }

    private BrowserContext window(int width, int height) {
        BrowserContext context = Objects.requireNonNull(chromium)
                .newContext(new com.microsoft.playwright.Browser.NewContextOptions()
                        .setViewportSize(width, height)
                        .setAcceptDownloads(true)
                        .setIgnoreHTTPSErrors(true));
        context.setDefaultTimeout(PATIENCE_MILLIS);
        return context;
    }

    /**
     * Checks that nothing on a page needs scrolling sideways on a phone. With {@code -Dbulwark.pictures=true}, as in CI's second build,
     * pictures are taken: in light and dark, and as a phone shows it.
     */
    static void picture(Page page, String name) {
        if (TAKES_PICTURES) {
            for (ColorScheme scheme : List.of(ColorScheme.DARK, ColorScheme.LIGHT)) {
                page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
                page.screenshot(new Page.ScreenshotOptions()
                        .setAnimations(ScreenshotAnimations.DISABLED)
                        .setPath(PICTURES.resolve(
                                name + "-" + scheme.name().toLowerCase(java.util.Locale.ROOT) + ".png")));
            }
        }
        page.setViewportSize(390, 844);
        if (TAKES_PICTURES) {
            page.screenshot(new Page.ScreenshotOptions()
                    .setPath(PICTURES.resolve(name + "-phone.png"))
                    .setFullPage(true));
        }
        Object wider = page.evaluate(WIDER);
        page.setViewportSize(1280, 900);
        assertThat((List<?>) wider)
                .as("elements by which the page %s is wider than a phone", name)
                .isEmpty();
    }

    /** Checks that axe finds nothing serious on a page. */
    static void assertAccessible(Page page) {
        AxeResults results = new AxeBuilder(page).analyze();
        List<String> serious = results.getViolations().stream()
                .filter(rule -> SERIOUS.contains(String.valueOf(rule.getImpact())))
                .map(Browser::text)
                .toList();
        assertThat(serious).as("accessibility of %s", page.url()).isEmpty();
    }

    private static String text(Rule rule) {
        return rule.getId() + ": " + rule.getHelp() + " "
                + rule.getNodes().stream().limit(3).map(node -> node.getHtml()).toList();
    }
}
