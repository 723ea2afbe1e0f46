package io.bulwark.client;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.evidence.EvidenceFile;
import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.metadata.Evidence;
import io.bulwark.protocol.metadata.EvidenceProof;
import io.bulwark.protocol.metadata.EvidenceVerification;
import io.bulwark.protocol.metadata.EvidenceVerification.Step;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The faults in the replicated metadata. */
final class RecordedFaults implements Faults {
    private final BulwarkClient client;
    private final ChannelConfig channels;

    RecordedFaults(BulwarkClient client, ChannelConfig channels) {
        this.client = client;
        this.channels = channels;
    }

    @Override
    public Page list(long after, int limit) {
        Reply.EvidenceList page = ask(Reply.EvidenceList.class, new Query.ListEvidence(after, limit));
        return new Page(page.entries().stream().map(Fault::of).toList(), page.more());
    }

    @Override
    public Optional<Evidence> find(long number) {
        return ask(Reply.EvidenceFound.class, new Query.FindEvidence(number)).evidence();
    }

    @Override
    public EvidenceProof proof(long number) {
        Evidence evidence =
                find(number).orElseThrow(() -> refusal("there is no recorded fault " + number + ", or no longer"));
        GenesisKeys genesis = channels.genesisKeys();
        if (!genesis.mustSign()) {
            throw refusal("the nodes of an insecure-loopback cluster have no keys, so they sign no reports");
        }
        EvidenceProof proof = EvidenceProof.of(genesis, evidence, auditLog())
                .orElseThrow(() -> refusal("the audit log does not lead from the genesis to the keys of those who "
                        + "reported fault " + number + "; ask an operator of the genesis to rotate these keys, even "
                        + "to the same keys"));
        List<Step> steps =
                EvidenceVerification.of(genesis, proof, tolerated(evidence)).steps();
        if (!steps.getLast().holds()) {
            throw refusal(
                    "fault " + number + " cannot be proven: " + steps.getLast().text());
        }
        return proof;
    }

    /** Returns f of the volume, as the replicas agree: they record a fault once f+1 nodes report it. */
    private static OptionalInt tolerated(Evidence evidence) {
        return OptionalInt.of(evidence.reports().size() - 1);
    }

    @Override
    public EvidenceVerification.Outcome check(long number) {
        EvidenceProof proof = proof(number);
        OptionalInt faulty = proof.faulty().isPresent() ? OptionalInt.empty() : tolerated(proof.evidence());
        return EvidenceVerification.of(channels.genesisKeys(), proof, faulty);
    }

    @Override
    public byte[] export(long number) {
        return EvidenceFile.write(proof(number));
    }

    /** Returns the entries that a proof may need. */
    private List<AuditEntry> auditLog() {
        List<AuditEntry> useful = new ArrayList<>();
        Reply.AuditList page = ask(Reply.AuditList.class, new Query.ListAudit(0, Query.PAGE_MAX));
        while (!page.entries().isEmpty()) {
            page.entries().stream().filter(EvidenceProof::isUseful).forEach(useful::add);
            page = ask(
                    Reply.AuditList.class,
                    new Query.ListAudit(page.entries().getLast().number(), Query.PAGE_MAX));
        }
        return useful;
    }

    private <T extends Reply> T ask(Class<T> type, Query query) {
        return client.query(type, query, Subject.NONE, BulwarkClient.noDeadline());
    }

    private static InvalidRequestException refusal(String problem) {
        return new InvalidRequestException(problem, Subject.NONE);
    }
}
