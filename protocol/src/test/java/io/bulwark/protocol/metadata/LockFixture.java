package io.bulwark.protocol.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LogChain;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHead;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;

/** A state machine whose log servers are played by the test: four replicas, of which one may be faulty. */
@NullMarked
final class LockFixture {
    static final Subtree FILMS = new Subtree("films", "a/");
    static final Subtree DIARY = new Subtree("diary", "");
    private static final Signer SIGNER = Signer.fresh();
    private static final Bytes CLUSTER = GenesisKeys.NONE.cluster();

    final MetadataFixture rig;

    LockFixture() {
        this(MetadataFixture.ready());
    }

    LockFixture(MetadataFixture rig) {
        this.rig = rig;
    }

    static Command.Lock lockOf(Subtree... subtrees) {
        return new Command.Lock(List.of(subtrees), SIGNER.key());
    }

    /** Locks subtrees for a session, whose log is empty. */
    HeldLog lock(User user, Subtree... subtrees) {
        return held(user, (Reply.Locked) user.run(lockOf(subtrees)));
    }

    HeldLog held(User user, Reply.Locked locked) {
        return new HeldLog(user, locked);
    }

    static Bytes encoded(Command command) {
        WireWriter out = new WireWriter();
        CommandCodec.write(command, out);
        return out.toBytes();
    }

    Reply submit(int replica, Submission submission) {
        return rig.submit(PrincipalId.replica(replica), submission);
    }

    List<Reply.LockEntry> locks() {
        return ((Reply.LockList) rig.ask(MetadataFixture.ALICE, new Query.ListLocks(Optional.empty(), 1000))).locks();
    }

    /** A log, and the overlay of a log server. */
    final class HeldLog {
        final User user;
        final Reply.Locked locked;
        final LogId id;
        final List<LogEntry> entries = new ArrayList<>();
        final List<Bytes> replies = new ArrayList<>();
        final List<Bytes> hashes = new ArrayList<>();
        LockView.Overlay overlay;

        private HeldLog(User user, Reply.Locked locked) {
            this.user = user;
            this.locked = locked;
            id = locked.log();
            overlay = rig.machine.locks().overlay(id);
        }

        Bytes root() {
            return LogChain.root(CLUSTER, id);
        }

        Reply append(Command command) {
            return append(new LogEntry(rig.nowMillis, Optional.empty(), encoded(command)));
        }

        Reply append(LogEntry entry) {
            hashes.add(LogChain.next(hashAt(entries.size()), entries.size() + 1L, entry));
            entries.add(entry);
            Bytes reply = overlay.execute(List.of(entry)).getFirst();
            replies.add(reply);
            return Reply.decode(reply);
        }

        Reply.ObjectStored put(String bucket, String key, long length) {
            return (Reply.ObjectStored) append(user.putOf(bucket, key, Condition.NONE, user.layout(length)));
        }

        Bytes hashAt(int length) {
            return length == 0 ? root() : hashes.get(length - 1);
        }

        LogHead head(int length) {
            Bytes hash = hashAt(length);
            return length == 0
                    ? LogHead.empty(hash)
                    : new LogHead(length, hash, SIGNER.sign(LogChain.signed(CLUSTER, id, length, hash)));
        }

        Reply fetch(int replica, int length) {
            return submit(replica, new Submission.Fetch(List.of(new Submission.Fetched(id, head(length)))));
        }

        Reply pieces(int replica, int first, int last) {
            return submit(
                    replica,
                    new Submission.Pieces(id, first, hashAt(first - 1), List.copyOf(entries.subList(first - 1, last))));
        }

        /** Lets three log servers that hold the whole log close it, and waits until all is executed. */
        void close() {
            user.done(new Command.Unlock());
            finish();
        }

        /** Ends a round that is open. */
        void finish() {
            int length = entries.size();
            for (int first = 1; first <= length; first += 200) {
                assertThat(pieces(0, first, Math.min(length, first + 199))).isEqualTo(new Reply.Done());
            }
            for (int replica = 0; replica < 3; replica++) {
                assertThat(fetch(replica, length)).isEqualTo(new Reply.Done());
            }
            User clock = rig.user(MetadataFixture.ALICE, 0);
            while (rig.machine.locks().log(id.holder(), id.session()).isPresent()) {
                clock.done(new Command.RenewSession());
            }
            clock.done(new Command.CloseSession());
        }

        Reply outcome(long from) {
            return rig.ask(user.principal, new Query.LogOutcome(id.session(), id.lock(), from));
        }

        Reply query(Query query) {
            return Reply.decode(overlay.query(Optional.empty(), query.encoded()));
        }
    }
}
