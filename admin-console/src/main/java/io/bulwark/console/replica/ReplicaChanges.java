package io.bulwark.console.replica;

import io.bulwark.client.Bulwark;
import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.membership.ReplicaChange;
import io.bulwark.client.membership.ReplicaChangeExecutor;
import io.bulwark.console.ReplicaSupervisors;
import io.bulwark.console.Surroundings;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.account.AccessLog;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.job.Job;
import io.bulwark.console.job.Jobs;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Changes of the replicas, by the rights of the person who asks, with the same steps as {@code bulwark replica}. */
@Component
public class ReplicaChanges {
    /** Replicas that are added or removed at once: f changes by one. */
    static final int STEP = 3;

    private static final int REPLICAS_MIN = 4;
    private static final long PAUSE_MILLIS = 500;
    private static final long WAIT_MILLIS = TimeUnit.MINUTES.toMillis(5);

    private final SignedIn signedIn;
    private final Jobs jobs;
    private final Surroundings surroundings;
    private final AccessLog log;

    public ReplicaChanges(SignedIn signedIn, Jobs jobs, Surroundings surroundings, AccessLog log) {
        this.log = log;
        this.signedIn = signedIn;
        this.jobs = jobs;
        this.surroundings = surroundings;
    }

    /**
     * Replica to add.
     *
     * @param replica a name that no replica ever had, such as {@code replica-4}
     * @param key its public key as {@code bulwark keygen} prints it
     * @param address {@code HOST:PORT}
     */
    public record Newcomer(
            @Nullable String replica,
            @Nullable String key,
            @Nullable String address) {}

    /** Starts to replace a replica, which may be down. */
    public Job replace(PrincipalId old, Newcomer fresh, Optional<Long> configuration) {
        Member coming = parsed(fresh, "");
        Configuration now = required(configuration);
        requireMember(now, old);
        return start(
                "replace-replica",
                "Replace " + old + " by " + coming.replica(),
                new ReplicaChange(List.of(old), List.of(coming)));
    }

    /** Starts to add three replicas. */
    public Job add(List<Newcomer> fresh, Optional<Long> configuration) {
        if (fresh.size() != STEP) {
            throw ApiException.badField("replicas", "three replicas are added at once");
        }
        List<Member> coming =
                fresh.stream().map(each -> parsed(each, "replicas.")).toList();
        if (new HashSet<>(coming.stream().map(Member::replica).toList()).size() != STEP) {
            throw ApiException.badField("replicas", "three different replicas are wanted");
        }
        var _ = required(configuration);
        String names = coming.stream().map(each -> each.replica().toString()).collect(Collectors.joining(", "));
        return start("add-replicas", "Add " + names, new ReplicaChange(List.of(), coming));
    }

    /** Starts to remove three replicas. */
    public Job remove(List<PrincipalId> leaving, Optional<Long> configuration) {
        if (new HashSet<>(leaving).size() != STEP || leaving.size() != STEP) {
            throw ApiException.badField("replicas", "three different replicas are removed at once");
        }
        Configuration now = required(configuration);
        leaving.forEach(replica -> requireMember(now, replica));
        if (now.members().size() - STEP < REPLICAS_MIN) {
            throw ApiException.conflict(
                    "at least four replicas remain; there are " + now.members().size());
        }
        String names = leaving.stream().map(Object::toString).collect(Collectors.joining(", "));
        return start("remove-replicas", "Remove " + names, new ReplicaChange(leaving, List.of()));
    }

    /** Returns whether supervisors on this machine can be asked for a recovery. */
    public boolean canRecover() {
        return surroundings.supervisors().isPresent();
    }

    /**
     * Asks the supervisor of a replica for a recovery now; returns its answer for people.
     *
     * @param address from which the request came
     */
    public String recover(PrincipalId replica, String address) {
        requireMember(signedIn.client().replicas().believed(), replica);
        ReplicaSupervisors supervisors = surroundings
                .supervisors()
                .orElseThrow(
                        () -> ApiException.conflict("this console reaches no supervisor: run `bulwark replica recover "
                                + replica.number() + "` on the machine of " + replica));
        try {
            log.add(AccessLog.Event.RECOVERY_ASKED, signedIn.name(), address, replica.toString());
            return supervisors.recover(replica.number());
        } catch (IOException e) {
            throw ApiException.conflict(String.valueOf(e.getMessage()));
        }
    }

    private Job start(String kind, String title, ReplicaChange change) {
        Bulwark client = signedIn.client();
        ReplicaChangeExecutor executor =
                new ReplicaChangeExecutor(client.replicas(), client::status, change, PAUSE_MILLIS);
        return jobs.start(kind, title, signedIn.name(), job -> {
            executor.begin();
            job.progress(1, 2);
            job.report("The replicas have agreed on the change; the next checkpoint begins it.");
            String[] shown = {""};
            List<String> missing = executor.await(WAIT_MILLIS, now -> {
                String line = "Waiting for " + String.join(", ", now) + ".";
                if (!line.equals(shown[0])) {
                    shown[0] = line;
                    job.report(line);
                }
                if (job.isCancelled()) {
                    throw new CancelledException(
                            "The wait ended. The change is agreed and takes effect all the same", Subject.NONE);
                }
            });
            if (!missing.isEmpty()) {
                throw new IOException("still missing after five minutes: " + String.join(", ", missing)
                        + "; the change is agreed, and the same action resumes the wait");
            }
            job.progress(2, 2);
            String off = change.leaving().isEmpty()
                    ? ""
                    : " Stop these replicas and wipe their disks: "
                            + change.leaving().stream().map(Object::toString).collect(Collectors.joining(", ")) + ".";
            return "Configuration " + client.replicas().believed().number() + " orders." + off;
        });
    }

    private Configuration required(Optional<Long> configuration) {
        Configuration now = signedIn.client().replicas().standing().now();
        if (configuration.isPresent() && configuration.get() != now.number()) {
            throw ApiException.changedMeanwhile("the replicas are of configuration " + now.number() + " by now");
        }
        return now;
    }

    private static void requireMember(Configuration now, PrincipalId replica) {
        if (now.placeOf(replica) < 0) {
            throw ApiException.notFound(replica + " is not one of the replicas");
        }
    }

    /** Parses {@code replica-2}, or its number alone. */
    static PrincipalId replica(String field, @Nullable String text) {
        String given = text == null ? "" : text.strip();
        try {
            if (given.length() <= 20) {
                PrincipalId named = PrincipalId.parse(given.matches("[0-9]{1,9}") ? "replica-" + given : given);
                if (named.kind() == PrincipalKind.REPLICA) {
                    return named;
                }
            }
        } catch (IllegalArgumentException e) {
            // Refused below.
        }
        throw ApiException.badField(field, "a replica such as replica-2 is wanted");
    }

    private static Member parsed(Newcomer fresh, String prefix) {
        PrincipalId replica = replica(prefix + "replica", fresh.replica());
        String text = fresh.key() == null ? "" : fresh.key().strip();
        String printed = "key." + replica + "=";
        PrincipalKey key;
        try {
            key = PrincipalKey.parse(text.startsWith(printed) ? text.substring(printed.length()) : text);
        } catch (IllegalArgumentException e) {
            throw ApiException.badField(
                    prefix + "key", "a public key of " + replica + " is wanted, as `bulwark keygen` prints it");
        }
        String address = fresh.address() == null ? "" : fresh.address().strip();
        if (!address.matches("([A-Za-z0-9._-]{1,255}|\\[[0-9A-Fa-f:.%]{2,60}])(:[0-9]{1,5})")
                || Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)) > 65_535) {
            throw ApiException.badField(prefix + "address", "an address such as 10.0.0.4:7604 is wanted");
        }
        return new Member(replica, key.encoded(), address);
    }
}
