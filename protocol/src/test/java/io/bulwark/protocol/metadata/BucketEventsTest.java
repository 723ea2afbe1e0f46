package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.STRANGER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.LockFixture.HeldLog;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.metadata.ObjectEvent.Kind;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Event logs: bucket {@code films} keeps the latest version of each name, {@code diary} all. */
@NullMarked
class BucketEventsTest {
    private static final long CLAIMANT = 11;
    private static final long OTHER = 12;
    private static final PrincipalId WRITER = PrincipalId.client(40);
    private static final String KEY_ID = "BWK23456789012345678";

    private final LockFixture locks = new LockFixture();
    private final MetadataFixture rig = locks.rig;
    private final User alice = rig.user(ALICE, rig.volume);

    private static Command.PutDocument rules(String bucket) {
        return new Command.PutDocument(bucket, Command.ClaimEvents.RULES, Condition.NONE, MetadataFixture.filled(9, 1));
    }

    /** Lets a client in that may read and write all of the volume. */
    private User writer() {
        alice.done(new Command.AddPrincipal(WRITER, Samples.KEY));
        alice.done(new Command.SetGrant(WRITER, new Scope.OfVolume("main"), new Rights(true, true, false)));
        return rig.user(WRITER, 0);
    }

    private void record(String bucket) {
        assertThat(alice.run(rules(bucket))).isInstanceOf(Reply.DocumentStored.class);
    }

    private List<Reply.EventEntry> events(String bucket, long after, int limit) {
        return ((Reply.EventList) rig.ask(ALICE, new Query.ListEvents(bucket, after, limit))).events();
    }

    private List<String> kinds(String bucket) {
        return events(bucket, 0, 1000).stream()
                .map(entry -> entry.event().kind() + " " + entry.event().key())
                .toList();
    }

    private Reply.EventsClaimed claim(String bucket, long claimant, long acknowledged) {
        return (Reply.EventsClaimed) alice.run(new Command.ClaimEvents(bucket, claimant, acknowledged));
    }

    private List<Reply.EventLogEntry> logs(PrincipalId asker) {
        return ((Reply.EventLogList) rig.ask(asker, new Query.ListEventLogs("", 10))).logs();
    }

    @Test
    void eachChangeOfAnObjectIsAnEvent() {
        alice.put("films", "before", 5);
        record("films");
        record("diary");
        Reply.ObjectStored put = alice.put("films", "a", 700);
        alice.run(new Command.CopyObject("films", "a", 0, "diary", "b", Condition.NONE));
        alice.run(new Command.RenameObject("diary", "b", "diary", "c", Condition.NONE));
        alice.run(new Command.SetTags("films", "a", 0, new TreeMap<>(Map.of("x", "y"))));
        alice.run(new Command.SetTags("films", "a", 0, new TreeMap<>()));
        alice.run(new Command.DeleteObject("films", "a", 0));
        alice.run(new Command.DeleteObject("films", "none", 0));
        long marker = events("diary", 0, 10).getLast().event().version();
        alice.run(new Command.DeleteObject("diary", "b", marker));
        Reply.UploadBegun begun = (Reply.UploadBegun) alice.run(new Command.BeginUpload(
                "films",
                "big",
                new ObjectAttributes("", new TreeMap<>(), new TreeMap<>(Map.of("etag", "a9"))),
                ObjectLock.NONE));
        UploadName upload = new UploadName("films", "big", begun.upload());
        Reply.PartStored part = (Reply.PartStored) alice.run(new Command.PutPart(
                upload, 1, alice.layout(900), ObjectAttributes.NONE, EpochClaim.of(rig.mainVolume()), List.of()));
        alice.run(new Command.CompleteUpload(
                upload,
                PartSelection.of(List.of(new PartSelection.Part(1, part.inode()))),
                Condition.NONE,
                ObjectAttributes.NONE));
        assertThat(kinds("films"))
                .containsExactly("PUT a", "PUT_TAGS a", "DELETE_TAGS a", "DELETE a", "COMPLETE_UPLOAD big");
        assertThat(kinds("diary")).containsExactly("COPY b", "COPY c", "DELETE_MARKER b", "DELETE b");
        ObjectEvent first = events("films", 0, 1).getFirst().event();
        assertThat(first)
                .isEqualTo(new ObjectEvent(Kind.PUT, "a", put.version(), true, 700, "", ALICE, put.linkedMillis()));
        assertThat(events("films", 0, 10).getLast().event().tag()).isEqualTo("a9");
    }

    @PlantedBug(
            in = BucketEvents.class,
            rule = "one claimant at a time delivers and acknowledges",
            replace = "boolean isHeld = log.claimant == claim.claimant() || !isClaimed(log, now);",
            with = "boolean isHeld = true;")
    @Test
    void oneClaimantAtATimeDeliversAndAcknowledges() {
        record("films");
        alice.put("films", "a", 5);
        alice.put("films", "b", 5);
        List<Reply.EventEntry> events = events("films", 0, 10);
        assertThat(claim("films", CLAIMANT, 0)).isEqualTo(new Reply.EventsClaimed(true, 2, 0));
        long first = events.getFirst().position();
        assertThat(claim("films", OTHER, first)).isEqualTo(new Reply.EventsClaimed(false, 2, 0));
        assertThat(logs(ALICE).getFirst().claimant()).isEqualTo(CLAIMANT);
        assertThat(claim("films", CLAIMANT, first)).isEqualTo(new Reply.EventsClaimed(true, 1, 0));
        assertThat(events("films", 0, 10)).containsExactly(events.getLast());
        rig.pass(alice, Command.ClaimEvents.LEASE_MILLIS + 1_000);
        assertThat(logs(ALICE).getFirst().claimant()).isZero();
        assertThat(claim("films", OTHER, 0).held()).isTrue();
        assertThat(claim("films", CLAIMANT, Long.MAX_VALUE).held()).isFalse();
        assertThat(claim("films", OTHER, events.getLast().position()).pending()).isZero();
    }

    @PlantedBug(
            in = BucketEvents.class,
            rule = "a full event log drops its oldest event and counts it",
            replace = "log.dropped++;",
            with = "")
    @Test
    void fullLogDropsItsOldestEventsAndCountsThem() {
        record("films");
        String longKey = "k".repeat(1_000);
        int count = (int) (BucketEvents.BYTES_MAX / 1_000) + 100;
        for (int i = 0; i < count; i++) {
            alice.put("films", longKey + i % 3, 0);
        }
        Reply.EventLogEntry log = logs(ALICE).getFirst();
        assertThat(log.dropped()).isGreaterThan(100).isEqualTo(count - log.pending());
        assertThat(log.bytes()).isLessThanOrEqualTo(BucketEvents.BYTES_MAX);
        long last = 0;
        int listed = 0;
        for (List<Reply.EventEntry> page = events("films", 0, 1000); !page.isEmpty(); ) {
            assertThat(page.getFirst().position()).isGreaterThan(last);
            listed += page.size();
            last = page.getLast().position();
            page = events("films", last, 1000);
        }
        assertThat(listed).isEqualTo(log.pending());
        assertThat(claim("films", CLAIMANT, last)).isEqualTo(new Reply.EventsClaimed(true, 0, log.dropped()));
    }

    @Test
    void logEndsWithItsRulesAndItsBucket() {
        long before = rig.machine.weight().bytesOf(ALICE);
        record("films");
        assertThat(rig.machine.weight().bytesOf(ALICE) - before).isGreaterThan(BucketEvents.BYTES_MAX);
        alice.put("films", "a", 5);
        long position = events("films", 0, 1).getFirst().position();
        record("films");
        assertThat(kinds("films")).containsExactly("PUT a");
        alice.run(new Command.DeleteObject("films", "a", 0));
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        alice.done(new Command.DeleteBucket("films"));
        assertThat(logs(ALICE)).isEmpty();
        alice.done(new Command.CreateBucket("films", "main", Versioning.LATEST_ONLY, 0));
        alice.put("films", "a", 5);
        assertThat(kinds("films")).isEmpty();
        alice.refused(MetadataError.BAD_BUCKET_STATE, new Command.ClaimEvents("films", CLAIMANT, 0));
        record("films");
        alice.put("films", "b", 5);
        assertThat(events("films", 0, 10).getFirst().position())
                .as("positions are not reused")
                .isGreaterThan(position);
        alice.done(new Command.RemoveDocument("films", Command.ClaimEvents.RULES, Condition.NONE));
        assertThat(kinds("films")).isEmpty();
    }

    @Test
    void changesInALogAreEventsOnceItIsClosed() {
        record("films");
        alice.put("films", "first", 5);
        HeldLog log = locks.lock(alice, new Subtree("films", "a/"));
        log.put("films", "a/x", 5);
        log.append(new Command.DeleteObject("films", "a/x", 0));
        User bob = rig.user(BOB, rig.volume);
        bob.put("films", "b", 5);
        assertThat(kinds("films")).containsExactly("PUT first", "PUT b");
        log.close();
        assertThat(kinds("films")).containsExactly("PUT first", "PUT b", "PUT a/x", "DELETE a/x");
    }

    @PlantedBug(
            in = Permissions.class,
            rule = "only the creator of a bucket and administrators acknowledge its events",
            replace = "case Command.ClaimEvents claim -> requireKeeper(by, claim.bucket());",
            with = "case Command.ClaimEvents ignored -> {}")
    @Test
    void onlyTheCreatorOfABucketAcknowledgesItsEvents() {
        record("films");
        alice.put("films", "a", 5);
        writer().refused(MetadataError.NOT_AUTHORISED, new Command.ClaimEvents("films", CLAIMANT, Long.MAX_VALUE));
        assertThat(rig.ask(READER, new Query.ListEvents("films", 0, 10))).isInstanceOf(Reply.EventList.class);
        assertFailed(rig.ask(STRANGER, new Query.ListEvents("films", 0, 10)), MetadataError.NOT_AUTHORISED);
        assertThat(logs(ALICE)).hasSize(1);
        assertThat(logs(READER)).isEmpty();
    }

    @Test
    void onlyAdministratorsNameWebhooks() {
        User writer = writer();
        alice.done(new Command.SetAccessKey(
                new AccessKey(KEY_ID, WRITER, "", List.of(), 0),
                List.of(new SealedSecret(WRITER, MetadataFixture.filled(139, 7)))));
        Webhook webhook = new Webhook("hooks", "https://hooks.example/a", KEY_ID);
        writer.refused(MetadataError.NOT_AUTHORISED, new Command.SetWebhook(webhook));
        for (Webhook bad : List.of(
                new Webhook("Hooks", webhook.url(), KEY_ID),
                new Webhook("hooks", "file:///etc/passwd", KEY_ID),
                new Webhook("hooks", "https://a b", KEY_ID),
                new Webhook("hooks", webhook.url(), "BWKNOSUCHKEY45678901"))) {
            alice.refused(MetadataError.BAD_ARGUMENT, new Command.SetWebhook(bad));
        }
        alice.done(new Command.SetWebhook(webhook));
        assertThat(rig.ask(ALICE, new Query.ListWebhooks())).isEqualTo(new Reply.WebhookList(List.of(webhook)));
        assertFailed(rig.ask(WRITER, new Query.ListWebhooks()), MetadataError.NOT_AUTHORISED);
        alice.done(new Command.SetGateways(new Gateways(List.of(WRITER), PrincipalId.NOBODY, PrincipalId.NOBODY)));
        assertThat(rig.ask(WRITER, new Query.ListWebhooks())).isInstanceOf(Reply.WebhookList.class);
        for (int i = 1; i < Webhook.COUNT_MAX; i++) {
            alice.done(new Command.SetWebhook(new Webhook("hooks-" + i, webhook.url(), KEY_ID)));
        }
        alice.refused(
                MetadataError.LIMIT_REACHED, new Command.SetWebhook(new Webhook("another", webhook.url(), KEY_ID)));
        alice.done(new Command.RemoveWebhook("hooks"));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.RemoveWebhook("hooks"));
    }

    @Test
    void eventsSurviveASnapshot() {
        record("films");
        alice.put("films", "a", 5);
        claim("films", CLAIMANT, 0);
        Bytes snapshot = rig.machine.snapshot();
        MetadataStateMachine restored = MetadataStateMachine.restore(snapshot);
        assertThat(restored.snapshot()).isEqualTo(snapshot);
        Bytes query = new Query.ListEvents("films", 0, 10).encoded();
        assertThat(restored.query(ALICE, query)).isEqualTo(rig.machine.query(ALICE, query));
    }
}
