package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.Decision;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Reply.DecisionEntry;
import io.bulwark.protocol.metadata.Reply.VoteEntry;
import io.bulwark.protocol.metadata.Tables.Owned;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Versions whose fate the nodes of their placement group decide (PROTOCOLS section 6, decisions). Each slot has one vote, the last that its holder
 * has given; a slot that has not confirmed the epoch has none. f + 1 slots that say the same decide, since one of them is correct; a decision
 * never reverts, so that f + 1 replicas are enough to learn it from.
 *
 * <p>Votes that wait are bounded for each voter, so that a liar displaces only its own. Decisions stay until their block is freed or their
 * volume is deleted; they count as the block's owner's.
 */
final class Decisions {
    /** Votes of one node that wait for others; the oldest is dropped beyond. */
    static final int VOTES_MAX = 1024;

    /** Above all slots. */
    private static final int SLOT_END = 255;

    private final Tables tables;
    private final Volumes volumes;

    /** A version of a block or extent. */
    record Subject(BlockId block, Bytes digest) {
        static final Form<Subject> FORM = new Form<>(
                (key, out) -> {
                    key.block.write(out);
                    out.raw(key.digest);
                },
                in -> new Subject(BlockId.read(in), in.raw(Hashes.LENGTH)));

        private static Subject firstOf(BlockId block) {
            return new Subject(block, ZEROS);
        }
    }

    /** The vote of one slot. */
    record Ballot(Subject subject, int slot) {
        static final Form<Ballot> FORM = new Form<>(
                (key, out) -> {
                    Subject.FORM.writer().accept(key.subject, out);
                    out.u8(key.slot);
                },
                in -> new Ballot(Subject.FORM.reader().apply(in), in.u8()));
    }

    /** What stands on a ballot. */
    record Cast(PrincipalId voter, long number, Decision decision) {
        void write(WireWriter out) {
            voter.write(out);
            CommandCodec.writeDecision(decision, out.i64(number));
        }

        static Cast read(WireReader in) {
            return new Cast(PrincipalId.read(in), in.nonNegative64(), CommandCodec.readDecision(in));
        }
    }

    /** A decision, and its place in the order of all. */
    record Decided(long number, Decision decision) {
        void write(WireWriter out) {
            CommandCodec.writeDecision(decision, out.i64(number));
        }

        static Decided read(WireReader in) {
            return new Decided(in.nonNegative64(), CommandCodec.readDecision(in));
        }
    }

    private static final Bytes ZEROS = Bytes.of(new byte[Hashes.LENGTH]);

    Decisions(Tables tables, Volumes volumes) {
        this.tables = tables;
        this.volumes = volumes;
    }

    /** Takes a node's votes. Those that cannot count, as its slot or the volume is gone or the decision is made, are passed over. */
    void vote(PrincipalId voter, Command.CastVotes votes) {
        for (Command.Vote on : votes.votes()) {
            volumes.find(on.block().volume()).ifPresent(volume -> vote(voter, volume, on));
        }
        List<Table.Entry<Owned, Ballot>> own =
                tables.ballotsOf.list(new Owned(voter, 0), new Owned(voter, Long.MAX_VALUE));
        own.subList(0, Math.max(0, own.size() - VOTES_MAX)).forEach(oldest -> withdraw(oldest.value()));
    }

    private void vote(PrincipalId voter, Volume volume, Command.Vote on) {
        PlacementGroup group = volume.group(on.block());
        int slot = group.slotOf(voter.number());
        Subject subject = new Subject(on.block(), on.digest());
        if (slot < 0 || group.unconfirmed().contains(slot) || tables.decisions.contains(subject)) {
            return;
        }
        Ballot ballot = new Ballot(subject, slot);
        withdraw(ballot);
        long number = ++tables.totals().lastReport;
        tables.ballots.put(ballot, new Cast(voter, number, on.decision()));
        tables.ballotsOf.put(new Owned(voter, number), ballot);
        List<VoteEntry> votes = votes(subject, group);
        long same =
                votes.stream().filter(vote -> vote.decision() == on.decision()).count();
        if (same > volume.policy().f()) {
            decide(subject, on.decision());
        }
    }

    private void decide(Subject subject, Decision decision) {
        withdrawAll(subject);
        long number = ++tables.totals().lastReport;
        tables.decisions.put(subject, new Decided(number, decision));
        tables.decided.put(number, subject);
        tables.weight.add(subject.block().owner(), Weight.DECISION_BYTES);
    }

    /** Those of slots that still are their voters', and have confirmed. */
    private List<VoteEntry> votes(Subject subject, PlacementGroup group) {
        List<VoteEntry> votes = new ArrayList<>();
        for (Table.Entry<Ballot, Cast> each :
                tables.ballots.list(new Ballot(subject, 0), new Ballot(subject, SLOT_END))) {
            int slot = each.key().slot();
            boolean counts = group.slotOf(each.value().voter().number()) == slot
                    && !group.unconfirmed().contains(slot);
            if (counts) {
                votes.add(new VoteEntry(slot, each.value().decision()));
            }
        }
        return votes;
    }

    /** What is decided of a version, or who has voted. */
    Reply.DecisionFound find(Query.DecisionOf of) {
        Subject subject = new Subject(of.block(), of.digest());
        List<VoteEntry> votes = volumes.find(of.block().volume())
                .map(volume -> votes(subject, volume.group(of.block())))
                .orElse(List.of());
        return new Reply.DecisionFound(tables.decisions.get(subject).map(Decided::decision), votes);
    }

    /** A page of the decisions that stand, in their order. */
    Reply.DecisionList list(Query.DecisionsAfter of) {
        List<DecisionEntry> page = new ArrayList<>();
        long next = of.afterNumber();
        for (Table.Entry<Long, Subject> entry : tables.decided.from(of.afterNumber() + 1)) {
            if (page.size() == of.limit()) {
                return new Reply.DecisionList(page, next, true);
            }
            Subject subject = entry.value();
            next = entry.key();
            page.add(new DecisionEntry(
                    next,
                    subject.block(),
                    subject.digest(),
                    tables.decisions.get(subject).orElseThrow().decision()));
        }
        return new Reply.DecisionList(page, next, false);
    }

    /** These ids are freed: nobody asks for what they were any more. */
    void forget(BlockRange range) {
        BlockId first = range.at(0);
        BlockId end = new BlockId(range.volume(), range.owner(), range.session(), range.first() + range.count());
        forget(Subject.firstOf(first), Subject.firstOf(end));
    }

    void forgetVolume(int volume) {
        BlockId last = new BlockId(volume, PrincipalId.client(Integer.MAX_VALUE), Long.MAX_VALUE, Long.MAX_VALUE);
        forget(Subject.firstOf(BlockId.register(volume, 0)), Subject.firstOf(last));
    }

    private void forget(Subject from, Subject to) {
        for (Table.Entry<Ballot, Cast> each : tables.ballots.list(new Ballot(from, 0), new Ballot(to, 0))) {
            withdraw(each.key());
        }
        for (Table.Entry<Subject, Decided> each : tables.decisions.list(from, to)) {
            tables.decisions.remove(each.key());
            tables.decided.remove(each.value().number());
            tables.weight.add(each.key().block().owner(), -Weight.DECISION_BYTES);
        }
    }

    /** It is revoked: what it says counts no more. */
    void forgetVotes(PrincipalId revoked) {
        tables.ballotsOf
                .list(new Owned(revoked, 0), new Owned(revoked, Long.MAX_VALUE))
                .forEach(own -> withdraw(own.value()));
    }

    private void withdrawAll(Subject subject) {
        tables.ballots
                .list(new Ballot(subject, 0), new Ballot(subject, SLOT_END))
                .forEach(each -> withdraw(each.key()));
    }

    private void withdraw(Ballot ballot) {
        Optional<Cast> vote = tables.ballots.get(ballot);
        vote.ifPresent(given -> {
            tables.ballots.remove(ballot);
            tables.ballotsOf.remove(new Owned(given.voter(), given.number()));
        });
    }
}
