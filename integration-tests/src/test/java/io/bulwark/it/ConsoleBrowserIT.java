package io.bulwark.it;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.evidence.EvidenceFile;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.EvidenceVerification;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The console in a browser, as a new user would use it, from the set-up link on. The steps build on each other, as all of them
 * need a cluster.
 */
@NullMarked
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleBrowserIT {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final String NAME = "ada";
    private static final String PASSWORD = "correct horse battery";
    private static final String BUCKET = "photos";
    private static final String OBJECT = "trip/2026/boat.bin";
    private static final int PAGES = 6;
    private static final int LIAR = 1;
    private static final int DRAINED = 4;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(5);

    @RegisterExtension
    static final Browser BROWSER = new Browser();

    private static final List<BrowserContext> WINDOWS = new ArrayList<>();
    private static String url = "";

    @TempDir
    Path directory = Path.of("");

    @BeforeAll
    static void setUpAndSignIn() {
        String link = CLUSTER.setupUrl();
        url = link.substring(0, link.indexOf("/setup"));
        BrowserContext window = BROWSER.window();
        WINDOWS.add(window);
        Page page = window.newPage();
        page.navigate(link);
        Browser.assertAccessible(page);
        Browser.picture(page, "set-up");
        page.getByLabel("Name").fill(NAME);
        password(page).fill(PASSWORD);
        page.getByLabel("The password again").fill(PASSWORD);
        click(page, "Create the account");
        assertThat(page.getByText("The password is set.")).isVisible();
        Browser.assertAccessible(page);
        Browser.picture(page, "sign-in");
        page.getByLabel("Name").fill(NAME);
        password(page).fill(PASSWORD);
        click(page, "Sign in");
        assertThat(heading(page, "Dashboard")).isVisible();
        page.navigate(link);
        assertThat(page.getByText("this link was used or has ended")).isVisible();
        page.close();
    }

    /** Each open page holds a connection for its events, and a browser has six for a host: a failure must not cause others. */
    @BeforeEach
    void closePagesThatAFailureLeft() {
        WINDOWS.forEach(window -> window.pages().forEach(Page::close));
    }

    @AfterAll
    static void closeWindows() {
        WINDOWS.forEach(BrowserContext::close);
    }

    private static Page open(String path) {
        Page page = WINDOWS.getFirst().newPage();
        page.navigate(url + path);
        return page;
    }

    /** Pages behind another one are not drawn, and wait for that. */
    private static void click(Page page, String button) {
        page.bringToFront();
        button(page, button).click();
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    /** Playwright belongs to one thread. */
    private static ConditionFactory soon() {
        return await().atMost(LONG).pollInterval(Duration.ofSeconds(1)).pollInSameThread();
    }

    private static Locator password(Page page) {
        return page.getByLabel("Password", new Page.GetByLabelOptions().setExact(true));
    }

    private static Locator heading(Page page, String text) {
        return page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setName(text));
    }

    @Test
    @Order(1)
    void strangersSeeTheSignInPageAlone() {
        try (BrowserContext stranger = BROWSER.window()) {
            Page page = stranger.newPage();
            page.navigate(url + "/buckets");
            assertThat(heading(page, "Sign in")).isVisible();
            page.getByLabel("Name").fill(NAME);
            password(page).fill("wrong horse battery");
            click(page, "Sign in");
            assertThat(page.getByText("This name and password do not match.")).isVisible();
        }
    }

    @Test
    @Order(2)
    void aFolderGoesInAndComesBackWhole() throws IOException {
        byte[] content = new byte[700_000];
        new Random(LiveCluster.SEED).nextBytes(content);
        Path folder = Files.createDirectories(directory.resolve("trip/2026"));
        Files.write(folder.resolve("boat.bin"), content);
        Files.writeString(folder.resolve("ähre & #1.txt"), "a name with everything\n");
        for (int i = 0; i < PAGES; i++) {
            // Of one length, so that a node can swap them.
            Files.write(folder.resolve("page-" + i), Arrays.copyOfRange(content, i * 1000, i * 1000 + 100_000));
        }
        Page page = open("/buckets");
        Browser.picture(page, "buckets-empty");
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Create a bucket"))
                .first()
                .click();
        page.getByLabel("Name").fill(BUCKET);
        click(page, "Create the bucket");
        assertThat(heading(page, "Bucket " + BUCKET)).isVisible();
        // A choice before the page's script runs is lost.
        page.waitForLoadState();
        page.locator("#folder").setInputFiles(directory.resolve("trip"));
        assertThat(page.locator("#uploads-text")).containsText(PAGES + 2 + " of " + (PAGES + 2) + " files stored");
        assertThat(page.locator("#uploads-text")).containsText("Done.");
        drop(page, "dropped.txt", "dropped\n");
        assertThat(page.locator("#uploads-text")).containsText(PAGES + 3 + " of " + (PAGES + 3) + " files stored");
        assertThat(page.getByText("dropped.txt")).isVisible();
        Browser.assertAccessible(page);
        Browser.picture(page, "bucket");

        Download zip = page.waitForDownload(() -> {
            page.getByLabel("Choose all that are shown").check();
            click(page, "Download chosen as zip");
        });
        assertThat(entries(zip.path())).hasSize(PAGES + 3).contains("dropped.txt", OBJECT, "trip/2026/ähre & #1.txt");
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("trip/"))
                .click();
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("2026/"))
                .click();
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("boat.bin"))
                .click();
        Download back =
                page.waitForDownload(() -> page.getByText("Download", new Page.GetByTextOptions().setExact(true))
                        .click());
        assertThat(back.path()).hasBinaryContent(content);
        assertThat(page.locator("#fragments")).containsText("4 of 4");
        Browser.assertAccessible(page);
        Browser.picture(page, "object");
        page.close();
    }

    /** As a file from the desktop, which scripts cannot make as a folder. */
    private static void drop(Page page, String name, String content) {
        page.evaluate("""
            ([name, content]) => {
              const data = new DataTransfer();
              data.items.add(new File([content], name, { type: "text/plain" }));
              document.getElementById("upload").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
            }\
            """, List.of(name, content));
    }

    private static List<String> entries(Path zip) throws IOException {
        List<String> names = new ArrayList<>();
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(zip), StandardCharsets.UTF_8)) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                names.add(entry.getName());
            }
        }
        return names;
    }

    @Test
    @Order(3)
    void aNodeThatStopsIsShownAndComesBack() throws Exception {
        Page dashboard = open("/");
        assertThat(dashboard.locator(".headline")).containsText("protected");
        Page node = open("/nodes/2");
        click(node, "Stop");
        assertThat(dashboard.getByText("node-2 does not answer").first()).isVisible();
        Browser.assertAccessible(dashboard);
        Browser.picture(dashboard, "dashboard-fault");
        assertThat(node.locator("#node")).containsText("no:");
        node.reload();
        click(node, "Start");
        assertThat(node.locator("#node dd").first()).hasText("yes");
        CLUSTER.awaitFullFaults();
        assertThat(dashboard.getByText("Nothing is wrong, and nothing moves.")).isVisible();
        node.close();
        dashboard.close();
    }

    @Test
    @Order(4)
    void aNodeThatLiesIsRepairedAndTheProofHoldsWithoutTheCluster() throws Exception {
        Page node = open("/nodes/" + LIAR);
        Browser.assertAccessible(node);
        Browser.picture(node, "node");
        Page verify = open("/buckets/" + BUCKET);
        Page faults = open("/faults");
        Locator proof = faults.getByRole(
                AriaRole.LINK, new Page.GetByRoleOptions().setName("Proof of the fault of node-" + LIAR));
        click(node, "Swap fragments");
        assertThat(node.locator("#notices .good")).isVisible();
        click(verify, "Verify the bucket");
        assertThat(heading(verify, "Jobs")).isVisible();
        soon().until(() -> {
            faults.reload();
            return proof.count() > 0;
        });
        node.close();
        verify.close();
        Browser.assertAccessible(faults);
        Browser.picture(faults, "faults");
        proof.first().click();
        assertThat(faults.getByText("Proven:")).isVisible();
        Browser.assertAccessible(faults);
        Browser.picture(faults, "fault");
        Download evidence = faults.waitForDownload(
                () -> faults.getByText("Download the evidence").click());
        EvidenceVerification.Outcome outcome = EvidenceVerification.of(
                GenesisFile.load(CLUSTER.plan().data().genesis()).genesisKeys(),
                EvidenceFile.read(Files.readAllBytes(evidence.path())));
        assertThat(outcome.isValid()).as("%s", outcome).isTrue();

        faults.navigate(url + "/buckets/" + BUCKET + "/object?key=" + OBJECT);
        soon().until(() -> {
            faults.reload();
            assertThat(faults.locator("#fragments table")).isVisible();
            return faults.locator("#fragments").innerText().contains("4 of 4");
        });
        faults.close();
    }

    @Test
    @Order(5)
    void aNodeIsDrained() throws Exception {
        CLUSTER.awaitFullFaults();
        Page page = open("/nodes/" + DRAINED);
        click(page, "Drain");
        Locator plan = page.locator("dialog[open]");
        assertThat(plan).containsText("faults");
        Browser.assertAccessible(page);
        Browser.picture(page, "drain-plan");
        plan.getByLabel("Type node-" + DRAINED + " to confirm").fill("node-" + DRAINED);
        click(page, "Move the slots");
        Page job = open("/jobs");
        job.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("node-" + DRAINED))
                .first()
                .click();
        soon().until(() -> job.locator("#job").innerText().contains("succeeded"));
        Browser.assertAccessible(job);
        Browser.picture(job, "job");
        job.close();
        soon().until(() -> {
            page.navigate(url + "/nodes/" + DRAINED);
            return page.getByText("It holds no slot.").isVisible();
        });
        page.close();
    }

    @Test
    @Order(6)
    void aClientIsRevokedAndTheAuditSaysWhoDidIt() {
        Page page = open("/principals/" + PrincipalId.client(7));
        click(page, "Revoke…");
        Browser.picture(page, "revoke");
        Locator dialog = page.locator("dialog[open]");
        dialog.getByRole(AriaRole.TEXTBOX).fill("client-7");
        dialog.locator("button[type=submit]").click();
        soon().until(() -> {
            page.navigate(url + "/principals/client-7");
            return page.locator("#detail").innerText().contains("revoked");
        });
        page.navigate(url + "/audit");
        assertThat(page.getByText("principal revoke client-7")).isVisible();
        assertThat(page.getByText("client-1 for client-").first()).isVisible();
        click(page, "Verify the whole log");
        assertThat(page.getByText("The log is whole")).isVisible();
        Browser.assertAccessible(page);
        Browser.picture(page, "audit");
        page.close();
    }

    @Test
    @Order(6)
    void anOperatorSignsInWithAKeyAndOut() {
        try (BrowserContext stranger = BROWSER.window()) {
            Page page = stranger.newPage();
            page.navigate(url + "/sign-in");
            page.getByText("Sign in with your own key").click();
            page.getByLabel("Identity file or PKCS#12 container")
                    .setInputFiles(Identity.file(CLUSTER.plan().data().keys(), PrincipalId.client(0)));
            Browser.assertAccessible(page);
            Browser.picture(page, "sign-in-key");
            click(page, "Sign in with the key");
            assertThat(heading(page, "Dashboard")).isVisible();
            page.navigate(url + "/account");
            assertThat(page.getByText("with your own key")).isVisible();
            click(page, "Sign out");
            assertThat(page.getByText("You signed out.")).isVisible();
        }
    }

    @Test
    @Order(6)
    void settingsOfABucketAndTagsChange() {
        Page page = open("/buckets/" + BUCKET);
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Settings"))
                .click();
        page.locator("#versioning").selectOption("keep");
        page.locator("#quotaBytes").fill("1.5 GiB");
        click(page, "Change the settings");
        assertThat(page.locator("table.facts")).containsText("all are kept");
        assertThat(page.locator("table.facts")).containsText("1.5 GiB");
        Browser.assertAccessible(page);
        Browser.picture(page, "bucket-settings");
        page.navigate(url + "/buckets/" + BUCKET + "/object?key=" + OBJECT);
        click(page, "Edit the tags…");
        page.getByLabel("One a line").fill("kind=boat\nyear=2026");
        click(page, "Replace the tags");
        assertThat(page.locator("table.facts")).containsText("Tag year");
        assertThat(page.getByText("null version").first()).isVisible();
        Browser.assertAccessible(page);
        Browser.picture(page, "object-tags");
        page.close();
    }

    @Test
    @Order(7)
    @Tag("long")
    void everyPageIsAccessible() {
        for (String path : List.of(
                "/",
                "/topology",
                "/nodes",
                "/nodes/1",
                "/groups",
                "/replicas",
                "/replicas/0",
                "/volumes",
                "/volumes/default",
                "/volumes/-new",
                "/buckets",
                "/buckets/-new",
                "/access-keys",
                "/webhooks",
                "/work",
                "/principals",
                "/jobs",
                "/releases",
                "/configuration",
                "/account",
                "/accounts")) {
            Page page = WINDOWS.getFirst().newPage();
            var answer = page.navigate(url + path);
            assertThat(answer.status()).as(path).isEqualTo(200);
            Browser.assertAccessible(page);
            Browser.picture(
                    page, path.equals("/") ? "dashboard" : path.substring(1).replace('/', '-'));
            page.close();
        }
    }
}
