package io.bulwark.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;

/**
 * The console's API can do all that the command line can, and the reverse: each command and each operation has its counterpart
 * in {@link #TABLE}, or a reason to have none. A new command or operation without a line there fails.
 */
@NullMarked
class ConsoleParityTest {
    private static final String API = "/api/v1/";

    private static final String MACHINE = "starts, stops or prepares processes on this machine, without a console";
    private static final String FILES = "works on files of this machine alone";
    private static final String PERSONS = "the console's own accounts, of which the cluster knows nothing";
    private static final String JOBS = "progress of long work, which a command shows while it runs";
    private static final String GATEWAYS = "names the doors of the cluster, beside `s3 enable`";
    private static final String DERIVED = "a view for people and plots; `status` and the metrics have its figures";

    /**
     * A line of the table.
     *
     * @param command empty if the operation has none
     * @param operation method and path below {@value #API}; empty if the command has none
     * @param reason for the missing one; empty if there are both
     */
    private record Line(String command, String operation, String reason) {}

    private static Line pair(String command, String operation) {
        return new Line(command, operation, "");
    }

    private static Line command(String command, String reason) {
        return new Line(command, "", reason);
    }

    private static Line operation(String operation, String reason) {
        return new Line("", operation, reason);
    }

    private static final List<Line> TABLE = List.of(
            // The cluster as a whole.
            pair("status", "GET status"),
            pair("status", "GET work"),
            operation("GET dashboard", DERIVED),
            operation("GET history", DERIVED),
            operation("GET events", "changes of the status as they come; a script repeats `status`"),
            operation("GET map", "`node list --groups` shows its groups, `node list` its nodes"),
            operation(
                    "GET configuration", "a command reads its own files; the console shows the cluster's and its own"),
            // Buckets and objects.
            pair("mb", "POST buckets"),
            pair("rb", "DELETE buckets/{bucket}"),
            pair("ls", "GET buckets"),
            pair("ls", "GET buckets/{bucket}/objects"),
            pair("ls", "GET buckets/{bucket}/versions"),
            pair("bucket show", "GET buckets/{bucket}"),
            pair("bucket show", "GET buckets/{bucket}/settings"),
            pair("bucket set", "PATCH buckets/{bucket}/settings"),
            pair("tag", "PUT buckets/{bucket}/object/tags"),
            pair("put", "PUT buckets/{bucket}/object"),
            pair("sync", "PUT buckets/{bucket}/object"),
            pair("get", "GET buckets/{bucket}/object"),
            pair("cat", "GET buckets/{bucket}/object"),
            pair("du", "GET buckets/{bucket}/objects"),
            command("diff", "compares files of this machine, or two listings"),
            operation("HEAD buckets/{bucket}/object", "the headers of a download; `stat` shows the same"),
            pair("rm", "DELETE buckets/{bucket}/object"),
            pair("stat", "GET buckets/{bucket}/object/info"),
            pair("stat", "GET buckets/{bucket}/object/fragments"),
            pair("cp", "POST buckets/{bucket}/object/copy"),
            pair("mv", "POST buckets/{bucket}/object/rename"),
            pair("verify", "POST buckets/{bucket}/verifications"),
            operation("GET buckets/{bucket}/zip", "several objects as one file, for browsers"),
            operation("POST buckets/{bucket}/zip", "several objects as one file, for browsers"),
            pair("lock list", "GET locks"),
            pair("lock release", "DELETE locks"),
            // Volumes.
            pair("advise", "GET advice"),
            pair("volume create", "POST volumes"),
            pair("volume list", "GET volumes"),
            pair("volume stat", "GET volumes/{name}"),
            pair("volume remove", "DELETE volumes/{name}"),
            pair("volume set", "PATCH volumes/{name}"),
            command("volume settle", "writes a block, which the console never does"),
            pair("volume refill", "POST volumes/{name}/refill"),
            command("volume read", "gap: the API has no operation for the blocks of register volumes"),
            command("volume write", "gap: the API has no operation for the blocks of register volumes"),
            // Nodes and placement.
            pair("node list", "GET nodes"),
            pair("node list", "GET nodes/{node}"),
            pair("node list", "GET groups"),
            pair("node add", "POST nodes"),
            pair("node replace", "POST nodes/{node}/replace"),
            pair("node drain", "POST nodes/{node}/drain"),
            pair("node remove", "DELETE nodes/{node}"),
            operation("GET nodes/{node}/plan", "gap: no command shows a plan without doing it"),
            pair("fault list", "GET faulty-nodes"),
            pair("fault show", "GET faulty-nodes"),
            pair("fault forgive", "DELETE faulty-nodes/{node}"),
            pair("fault policy", "GET faulty-nodes/policy"),
            command("fault simulate", FILES),
            pair("fault policy", "PUT faulty-nodes/policy"),
            pair("threat show", "GET threat"),
            pair("threat raise", "POST threat/raise"),
            pair("threat lower", "POST threat/lower"),
            pair("threat policy", "PUT threat/policy"),
            pair("node abort", "DELETE groups/{volume}/changes"),
            pair("node abort", "DELETE groups/{volume}/{group}/change"),
            pair("node lie", "POST nodes/{node}/drills"),
            pair("node save", "POST nodes/{node}/drills"),
            pair("node start", "POST nodes/{node}/drills"),
            pair("node stop", "POST nodes/{node}/drills"),
            operation("GET nodes/{node}/drills", "the help of `node` lists them"),
            // Replicas and releases.
            pair("replica list", "GET replicas"),
            pair("replica list", "GET replicas/{replica}"),
            pair("replica replace", "POST replicas/{replica}/replace"),
            pair("replica add", "POST replicas"),
            pair("replica remove", "POST replicas/remove"),
            pair("replica recover", "POST replicas/{replica}/recover"),
            command("replica restore", "for the loss of more replicas than may fail: then no console answers"),
            pair("release list", "GET releases"),
            pair("release allow", "PUT releases/{hash}"),
            pair("release forget", "DELETE releases/{hash}"),
            command("release hash", FILES),
            // Principals and rights.
            pair("principal list", "GET principals"),
            pair("principal list", "GET principals/{id}"),
            pair("principal add", "POST principals"),
            pair("principal invite", "POST principals/invitations"),
            pair("principal rotate", "PUT principals/{id}/key"),
            pair("principal revoke", "DELETE principals/{id}"),
            operation("GET principals/{id}/revocation", "gap: no command shows a revocation without doing it"),
            pair("principal suspended", "GET suspensions"),
            pair("principal lift", "DELETE suspensions/{id}"),
            pair("grant", "GET grants"),
            pair("grant", "PUT grants"),
            pair("grant", "DELETE grants"),
            pair("grant act-for", "PUT principals/{id}/act-for/{person}"),
            pair("grant act-for", "DELETE principals/{id}/act-for/{person}"),
            // Access keys.
            pair("access-key create", "POST access-keys"),
            pair("access-key list", "GET access-keys"),
            pair("access-key show", "GET access-keys/{id}"),
            pair("access-key rotate", "POST access-keys/{id}/rotation"),
            pair("access-key limit", "PUT access-keys/{id}/limits"),
            pair("access-key revoke", "DELETE access-keys/{id}"),
            pair("s3 list", "GET gateways"),
            pair("webhook create", "POST webhooks"),
            pair("webhook list", "GET webhooks"),
            pair("webhook list", "GET webhooks/{name}"),
            pair("webhook change", "PUT webhooks/{name}"),
            pair("webhook rotate", "POST webhooks/{name}/rotation"),
            pair("webhook remove", "DELETE webhooks/{name}"),
            // Evidence and audit.
            pair("evidence list", "GET faults"),
            pair("evidence show", "GET faults/{number}"),
            pair("evidence export", "GET faults/{number}/evidence"),
            command("evidence verify", "checks a file without trust in a cluster or console"),
            pair("audit list", "GET audit"),
            pair("audit list", "GET audit/lines"),
            pair("audit verify", "POST audit/verifications"),
            pair("audit verify", "GET audit/verifications/{job}"),
            // The console's own.
            operation("GET jobs", JOBS),
            operation("GET jobs/{id}", JOBS),
            operation("DELETE jobs/{id}", JOBS),
            operation("GET jobs/{id}/events", JOBS),
            operation("POST setup", PERSONS),
            operation("GET account", PERSONS),
            operation("GET account/activity", PERSONS),
            operation("POST account/password", PERSONS),
            operation("GET account/tokens", PERSONS),
            operation("POST account/tokens", PERSONS),
            operation("DELETE account/tokens/{id}", PERSONS),
            operation("GET accounts", PERSONS),
            operation("GET accounts/{name}", PERSONS),
            operation("POST accounts", PERSONS),
            operation("POST accounts/{name}/link", PERSONS),
            operation("DELETE accounts/{name}", PERSONS),
            operation("GET access-log", PERSONS),
            // Without a console.
            command("up", MACHINE),
            command("down", MACHINE),
            command("node", MACHINE),
            command("replica", MACHINE),
            command("supervise", MACHINE),
            command("console", MACHINE),
            command("console enable", "gives the console the rights that it acts by, which it must not give itself"),
            command("console setup-link", "for somebody who cannot sign in"),
            command("s3", MACHINE),
            command("s3 enable", "seals secrets with the operator's own key, which no console has"),
            command("s3 disable", GATEWAYS),
            command("s3 anonymous", GATEWAYS),
            command("init", MACHINE),
            command("join", MACHINE),
            command("keygen", "makes a private key, which never leaves its machine"),
            command("demo", MACHINE),
            command("bench", "measures from the machine of a client"),
            command("simulate", "runs no cluster"),
            command("history check", FILES),
            command("completion", "is for a shell"),
            command("support", MACHINE),
            command("help", "describes commands"));

    @Test
    void everyCommandIsInTheTable() {
        assertThat(named(Line::command))
                .as("add new commands to ConsoleParityTest.TABLE, with their operation or a reason")
                .containsExactlyInAnyOrderElementsOf(new TreeSet<>(CommandReference.names()));
    }

    @Test
    void everyOperationIsInTheTable() throws ClassNotFoundException {
        assertThat(named(Line::operation))
                .as("add new operations to ConsoleParityTest.TABLE, with their command or a reason")
                .containsExactlyInAnyOrderElementsOf(operations());
    }

    @Test
    void aReasonStandsOnlyWhereACounterpartIsMissing() {
        Set<String> pairedCommands = paired(Line::command);
        Set<String> pairedOperations = paired(Line::operation);
        for (Line line : TABLE) {
            assertThat(line.command.isEmpty() || line.operation.isEmpty())
                    .as(line.toString())
                    .isEqualTo(!line.reason.isEmpty());
            if (!line.reason.isEmpty()) {
                assertThat(pairedCommands).as(line.toString()).doesNotContain(line.command);
                assertThat(pairedOperations).as(line.toString()).doesNotContain(line.operation);
            }
        }
        assertThat(TABLE).doesNotHaveDuplicates();
    }

    /** Part of a line. */
    private interface Part {
        String of(Line line);
    }

    private static Set<String> named(Part part) {
        return TABLE.stream()
                .map(part::of)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> paired(Part part) {
        return TABLE.stream()
                .filter(line -> line.reason.isEmpty())
                .map(part::of)
                .collect(Collectors.toSet());
    }

    /** Returns the operations that the controllers of the console declare. */
    private static Set<String> operations() throws ClassNotFoundException {
        var scanner = new ClassPathScanningCandidateComponentProvider(false);
        scanner.addIncludeFilter(new AnnotationTypeFilter(RestController.class));
        Set<String> all = new TreeSet<>();
        for (BeanDefinition found : scanner.findCandidateComponents("io.bulwark.console")) {
            Class<?> controller = Class.forName(found.getBeanClassName());
            RequestMapping base = AnnotatedElementUtils.findMergedAnnotation(controller, RequestMapping.class);
            List<String> prefixes = base == null ? List.of("") : paths(base);
            for (Method method : controller.getDeclaredMethods()) {
                RequestMapping mapping = AnnotatedElementUtils.findMergedAnnotation(method, RequestMapping.class);
                if (mapping != null) {
                    all.addAll(operations(prefixes, mapping));
                }
            }
        }
        return all;
    }

    private static List<String> operations(List<String> prefixes, RequestMapping mapping) {
        List<String> all = new ArrayList<>();
        for (String prefix : prefixes) {
            for (String path : paths(mapping)) {
                String whole = prefix + path;
                for (RequestMethod method : mapping.method()) {
                    if (whole.startsWith(API)) {
                        all.add(method + " " + whole.substring(API.length()));
                    }
                }
            }
        }
        return all;
    }

    private static List<String> paths(RequestMapping mapping) {
        return mapping.path().length == 0 ? List.of("") : List.of(mapping.path());
    }
}
