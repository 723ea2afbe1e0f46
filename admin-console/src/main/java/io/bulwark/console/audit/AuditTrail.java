package io.bulwark.console.audit;

import io.bulwark.client.AuditLog;
import io.bulwark.client.Bulwark;
import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.text.AuditText;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.Page;
import io.bulwark.console.http.Paging;
import io.bulwark.console.job.Job;
import io.bulwark.console.job.Jobs;
import io.bulwark.console.live.ClusterMeters;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The audit log as the signed-in person may read it, and its verifications since the console started. */
@Component
class AuditTrail {
    /** A page ends after a search through this many entries; an empty one may therefore have a successor. */
    static final int SEARCHED_MAX = 10_000;

    private static final int CHUNK = 1000;
    private static final int RESULTS_MAX = 100;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final SignedIn signedIn;
    private final Jobs jobs;
    private final ClusterMeters meters;
    private final LinkedHashMap<Long, VerificationView> results = new LinkedHashMap<>();

    AuditTrail(SignedIn signedIn, Jobs jobs, ClusterMeters meters) {
        this.signedIn = signedIn;
        this.jobs = jobs;
        this.meters = meters;
    }

    /**
     * Lists entries, the newest first.
     *
     * @param by only commands of this principal, or on its behalf; null for all
     * @param cursor the page begins before this entry; null to begin with the newest
     */
    Page<AuditView> page(@Nullable String by, int limit, @Nullable String cursor) {
        Paging.limit(limit);
        Optional<PrincipalId> person = person(by);
        AuditLog log = signedIn.client().audit();
        long before = cursor == null ? log.list(0, 1).count() + 1 : number(cursor);
        List<AuditView> found = new ArrayList<>();
        long searched = 0;
        while (before > 1 && found.size() < limit && searched < SEARCHED_MAX) {
            long from = Math.max(1, before - CHUNK);
            List<AuditEntry> chunk = log.list(from - 1, (int) (before - from)).entries();
            if (chunk.isEmpty()) {
                throw ApiException.badField("cursor", "the log has no entry " + from);
            }
            // A page of the replicas may end early; then the rest of the chunk comes with the next step.
            long ends = chunk.getLast().number();
            if (ends < before - 1) {
                chunk = tail(log, chunk, before);
            }
            for (AuditEntry entry : chunk.reversed()) {
                before = entry.number();
                searched++;
                if (person.isEmpty() || isOf(entry, person.get())) {
                    found.add(AuditView.of(entry));
                    if (found.size() == limit) {
                        break;
                    }
                }
            }
        }
        return new Page<>(found, before > 1 ? Long.toString(before) : null);
    }

    private static List<AuditEntry> tail(AuditLog log, List<AuditEntry> begun, long before) {
        List<AuditEntry> all = new ArrayList<>(begun);
        while (all.getLast().number() < before - 1) {
            long last = all.getLast().number();
            List<AuditEntry> more = log.list(last, (int) (before - 1 - last)).entries();
            if (more.isEmpty()) {
                throw ApiException.badField("cursor", "the log ends with entry " + last);
            }
            all.addAll(more);
        }
        return all;
    }

    private static boolean isOf(AuditEntry entry, PrincipalId person) {
        return entry.by().equals(person)
                || entry.onBehalfOf().filter(person::equals).isPresent();
    }

    /** A log as lines of JSON, ready to be written. */
    @FunctionalInterface
    interface Lines {
        void writeTo(OutputStream out) throws IOException;
    }

    /** Reads the log from its first entry; a failure of the first page is thrown here, before anything is written. */
    Lines lines(@Nullable String by) {
        Optional<PrincipalId> person = person(by);
        AuditLog log = signedIn.client().audit();
        AuditLog.Page first = log.list(0, CHUNK);
        return out -> {
            AuditLog.Page page = first;
            while (!page.entries().isEmpty()) {
                for (AuditEntry entry : page.entries()) {
                    if (person.isEmpty() || isOf(entry, person.get())) {
                        out.write((JSON.writeValueAsString(AuditText.fields(entry)) + "\n")
                                .getBytes(StandardCharsets.UTF_8));
                    }
                }
                long last = page.entries().getLast().number();
                page = last < page.count() ? log.list(last, CHUNK) : new AuditLog.Page(List.of(), last);
            }
        };
    }

    /**
     * Verifies the log from its first entry, as a job.
     *
     * @param head digest of an earlier verification, through which the chain must pass; null or empty for none
     */
    Job verify(@Nullable String head) {
        Optional<Bytes> known = head == null || head.isBlank() ? Optional.empty() : Optional.of(digest(head.strip()));
        Bulwark client = signedIn.client();
        return jobs.start("verify-audit", "Verify the audit log", signedIn.name(), job -> {
            AuditLog log = client.audit();
            long total = log.list(0, 1).count();
            job.progress(0, total);
            AuditLog.Verification found = log.verify(known, entry -> {
                if (job.isCancelled()) {
                    throw new CancelledException("cancelled after entry " + entry.number(), Subject.NONE);
                }
                job.progress(entry.number(), Math.max(total, entry.number()));
            });
            keep(job.id(), VerificationView.of(found, Instant.now()));
            meters.showAudit(found.problem().isPresent());
            List<String> lines = AuditText.of(found);
            lines.subList(0, lines.size() - 1).forEach(job::report);
            return lines.getLast();
        });
    }

    private synchronized void keep(long job, VerificationView result) {
        results.put(job, result);
        if (results.size() > RESULTS_MAX) {
            results.remove(results.firstEntry().getKey());
        }
    }

    /**
     * Returns the result of a verification.
     *
     * @throws ApiException if this job has none, or not yet
     */
    synchronized VerificationView result(long job) {
        VerificationView result = results.get(job);
        if (result == null) {
            throw ApiException.notFound("job " + job + " has no result of a verification");
        }
        return result;
    }

    /** Returns the results, each by the number of its job. */
    synchronized Map<Long, VerificationView> results() {
        return new LinkedHashMap<>(results);
    }

    /** Returns the last result. */
    synchronized Optional<VerificationView> last() {
        return results.isEmpty()
                ? Optional.empty()
                : Optional.of(results.lastEntry().getValue());
    }

    private static Optional<PrincipalId> person(@Nullable String by) {
        if (by == null || by.isBlank()) {
            return Optional.empty();
        }
        try {
            return Optional.of(PrincipalId.parse(by.strip()));
        } catch (IllegalArgumentException e) {
            throw ApiException.badField("by", "a principal is written such as client-1");
        }
    }

    private static long number(String cursor) {
        try {
            long number = Long.parseLong(cursor);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw ApiException.badField("cursor", "cursor is the next of the page before");
        }
        throw ApiException.badField("cursor", "cursor is the next of the page before");
    }

    private static Bytes digest(String head) {
        try {
            return AuditText.digest(head);
        } catch (IllegalArgumentException e) {
            throw ApiException.badField("head", String.valueOf(e.getMessage()));
        }
    }
}
