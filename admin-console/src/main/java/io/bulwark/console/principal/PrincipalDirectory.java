package io.bulwark.console.principal;

import io.bulwark.client.Bulwark;
import io.bulwark.client.Principals;
import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.text.RevocationLines;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.EntityTag;
import io.bulwark.console.job.Job;
import io.bulwark.console.job.Jobs;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The principals of the cluster with their grants, and all that the signed-in person may do with them. */
@Component
class PrincipalDirectory {
    static final long INVITATION_HOURS_MAX = 30L * 24;
    static final long WAIT_SECONDS_MAX = 24L * 3600;
    private static final int KEY_LENGTH_MAX = 256;

    private final SignedIn signedIn;
    private final Jobs jobs;
    private final ClusterWatch watch;

    PrincipalDirectory(SignedIn signedIn, Jobs jobs, ClusterWatch watch) {
        this.signedIn = signedIn;
        this.jobs = jobs;
        this.watch = watch;
    }

    /**
     * Lists the principals.
     *
     * @param kind null for all
     */
    PrincipalList list(@Nullable String kind) {
        if (kind != null && !List.of("client", "node", "replica").contains(kind)) {
            throw ApiException.badField("kind", "kind is client, node or replica");
        }
        Principals principals = principals();
        Optional<Map<PrincipalId, Principals.Suspension>> suspensions = suspensions(principals);
        return new PrincipalList(
                principals.list().stream()
                        .filter(entry ->
                                kind == null || kindOf(entry.principal()).equals(kind))
                        .map(entry -> view(entry, suspensions))
                        .toList(),
                suspensions.isPresent());
    }

    /**
     * Finds a principal with its grants.
     *
     * @throws ApiException if there is none
     */
    PrincipalDetail find(PrincipalId id) {
        Principals principals = principals();
        Principals.Entry entry = require(id);
        boolean client = id.kind() == PrincipalKind.CLIENT;
        return new PrincipalDetail(
                view(entry, suspensions(principals)),
                client ? ifPermitted(() -> grants(id)) : null,
                client ? ifPermitted(() -> actFor(id)) : null);
    }

    /**
     * Returns what the registry has of a principal.
     *
     * @throws ApiException if there is none
     */
    Principals.Entry require(PrincipalId id) {
        return principals().list().stream()
                .filter(each -> each.principal().equals(id))
                .findFirst()
                .orElseThrow(() -> ApiException.notFound("there is no principal " + id));
    }

    /** Lists the suspended clients. */
    List<PrincipalView.SuspensionView> suspensions() {
        return principals().suspended().stream()
                .map(PrincipalView.SuspensionView::of)
                .toList();
    }

    Invitation invite(PrincipalId id, Duration validity) {
        requireJoinable(id);
        if (validity.toMinutes() < 1 || validity.toHours() > INVITATION_HOURS_MAX) {
            throw ApiException.badField("hours", "an invitation is valid for 1 hour to 30 days");
        }
        return Invitation.of(principals().invite(id, validity));
    }

    void add(PrincipalId id, @Nullable String key) {
        requireJoinable(id);
        principals().add(id, key(key));
    }

    /**
     * Gives a principal another key.
     *
     * @param keepOld whether its newest key stays valid
     * @param ifMatch the tag of {@link #find} that the person saw; null for any
     */
    PrincipalDetail rotate(PrincipalId id, @Nullable String key, boolean keepOld, @Nullable String ifMatch) {
        PrincipalKey parsed = key(key);
        requireUnchanged(id, ifMatch);
        principals().rotate(id, parsed, keepOld);
        return find(id);
    }

    /** Works out what a revocation would do. */
    Revocation preview(PrincipalId id) {
        return Revocation.of(id, find(id), signedIn.client(), watch.now().status());
    }

    /**
     * Revokes a client or node, as a job.
     *
     * @param wait for the nodes that must complete it
     */
    Job revoke(PrincipalId id, Duration wait, @Nullable String ifMatch) {
        if (wait.isNegative() || wait.toSeconds() > WAIT_SECONDS_MAX) {
            throw ApiException.badField("wait", "wait is a number of seconds up to " + WAIT_SECONDS_MAX);
        }
        if (id.kind() == PrincipalKind.REPLICA) {
            throw ApiException.conflict(id + " is a replica: replace or remove it on the page of replicas");
        }
        requireUnchanged(id, ifMatch);
        Bulwark client = signedIn.client();
        return jobs.start("revoke-principal", "Revoke " + id, signedIn.name(), job -> {
            RevocationLines lines = new RevocationLines(id);
            job.report("The replicas revoke " + id + ".");
            client.principals().revoke(id, wait, progress -> {
                if (job.isCancelled()) {
                    throw new CancelledException(
                            id + " is revoked; nobody waits for the nodes any more, each follows as soon as it can",
                            Subject.NONE);
                }
                job.progress(progress.done(), progress.asked());
                lines.next(progress).ifPresent(line -> job.report(line + waiting(progress)));
            });
            return id + " " + lines.outcome() + ".";
        });
    }

    private static String waiting(Principals.RevocationProgress progress) {
        StringBuilder line = new StringBuilder();
        if (!progress.silent().isEmpty()) {
            line.append(" No answer: ").append(names(progress.silent())).append('.');
        }
        if (!progress.busy().isEmpty()) {
            line.append(" Still at work: ").append(names(progress.busy())).append('.');
        }
        progress.undecided()
                .forEach((node, count) -> line.append(" Undecided versions at ")
                        .append(node)
                        .append(": ")
                        .append(count)
                        .append('.'));
        return line.toString();
    }

    private static String names(List<PrincipalId> ids) {
        return String.join(", ", ids.stream().map(PrincipalId::toString).toList());
    }

    /**
     * Lifts a suspension.
     *
     * @throws ApiException if the client is not suspended
     */
    void lift(PrincipalId id, @Nullable String ifMatch) {
        requireUnchanged(id, ifMatch);
        Principals principals = principals();
        if (principals.suspended().stream().noneMatch(each -> each.client().equals(id))) {
            throw ApiException.notFound(id + " is not suspended");
        }
        principals.lift(id);
    }

    /** Lists a client's grants. */
    List<GrantView> grants(PrincipalId id) {
        requireClient(id);
        return principals().grants(id).stream().map(GrantView::of).toList();
    }

    /** Replaces the rights of a client on just this scope; none of them removes the grant. */
    List<GrantView> grant(PrincipalId id, Scope scope, Rights rights, @Nullable String ifMatch) {
        requireClient(id);
        if (ifMatch != null) {
            tagOf(grants(id)).require(ifMatch, "the list of grants of " + id);
        }
        principals().grant(id, scope, rights);
        return grants(id);
    }

    private List<PrincipalDetail.ActForView> actFor(PrincipalId door) {
        return principals().actFor(door).stream()
                .map(PrincipalDetail.ActForView::of)
                .toList();
    }

    /** Lets a client act on behalf of a person, within this ceiling; no rights withdraw that. */
    PrincipalDetail setActFor(PrincipalId door, PrincipalId person, Rights ceiling, @Nullable String ifMatch) {
        requireClient(door);
        requireClient(person);
        requireUnchanged(door, ifMatch);
        principals().setActFor(door, person, ceiling);
        return find(door);
    }

    static EntityTag tagOf(List<GrantView> grants) {
        return EntityTag.of(new GrantList(grants));
    }

    private record GrantList(List<GrantView> grants) {}

    /**
     * Reads a principal.
     *
     * @throws ApiException if it is none
     */
    static PrincipalId named(@Nullable String field, @Nullable String text) {
        try {
            return PrincipalId.parse(text == null ? "" : text);
        } catch (IllegalArgumentException e) {
            String problem = "a principal is written such as node-3 or client-20";
            throw field == null ? ApiException.notFound(problem) : ApiException.badField(field, problem);
        }
    }

    private static PrincipalKey key(@Nullable String text) {
        String given = text == null ? "" : text.strip();
        String last = given.substring(given.startsWith("key.") ? given.indexOf('=') + 1 : 0);
        try {
            if (given.length() <= KEY_LENGTH_MAX) {
                return PrincipalKey.parse(last);
            }
        } catch (IllegalArgumentException e) {
            throw badKey();
        }
        throw badKey();
    }

    private static ApiException badKey() {
        return ApiException.badField(
                "key", "key is not a public key, or not the whole of one, as `bulwark keygen` prints it");
    }

    private void requireUnchanged(PrincipalId id, @Nullable String ifMatch) {
        PrincipalDetail now = find(id);
        EntityTag.of(now).require(ifMatch, id.toString());
    }

    private static void requireJoinable(PrincipalId id) {
        if (id.kind() != PrincipalKind.CLIENT && id.kind() != PrincipalKind.NODE) {
            throw ApiException.badField("principal", id + " cannot be added here: only clients and nodes can");
        }
    }

    private static void requireClient(PrincipalId id) {
        if (id.kind() != PrincipalKind.CLIENT) {
            throw ApiException.badField("client", "only clients have grants, " + id + " is none");
        }
    }

    private static PrincipalView view(
            Principals.Entry entry, Optional<Map<PrincipalId, Principals.Suspension>> suspensions) {
        return PrincipalView.of(entry, suspensions.flatMap(all -> Optional.ofNullable(all.get(entry.principal()))));
    }

    /** Returns the suspensions; empty if the person may not see them. */
    private static Optional<Map<PrincipalId, Principals.Suspension>> suspensions(Principals principals) {
        try {
            Map<PrincipalId, Principals.Suspension> all = new HashMap<>();
            principals.suspended().forEach(each -> all.put(each.client(), each));
            return Optional.of(all);
        } catch (NotPermittedException e) {
            return Optional.empty();
        }
    }

    private static <T> @Nullable T ifPermitted(Supplier<T> question) {
        try {
            return question.get();
        } catch (NotPermittedException e) {
            return null;
        }
    }

    private static String kindOf(PrincipalId id) {
        return id.kind().name().toLowerCase(Locale.ROOT);
    }

    private Principals principals() {
        return signedIn.client().principals();
    }
}
