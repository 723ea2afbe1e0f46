package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the settings and documents of buckets, and whom the state machine lets change them. */
@NullMarked
class BucketSettingsTest {
    private static final PrincipalId WRITER = PrincipalId.client(40);
    private static final PrincipalId OTHER = PrincipalId.client(41);

    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, rig.volume);

    private static Bytes content(int bytes) {
        return MetadataFixture.filled(bytes, 7);
    }

    private static Command put(String name, Condition condition) {
        return new Command.PutDocument("films", name, condition, content(9));
    }

    private long number(String name) {
        return ((Reply.DocumentFound) rig.ask(ALICE, new Query.FindDocument("films", name))).number();
    }

    /** Lets a client in that may read and write all of the volume. */
    private User admitted(PrincipalId client, Rights rights) {
        alice.done(new Command.AddPrincipal(client, client.equals(WRITER) ? Samples.KEY : Samples.OTHER_KEY));
        alice.done(new Command.SetGrant(client, new Scope.OfVolume("main"), rights));
        return rig.user(client, 0);
    }

    @Test
    void aDocumentIsReplacedWhenItsNumberIsKnown() {
        Reply.DocumentStored first = (Reply.DocumentStored) alice.run(put("cors", Condition.IF_ABSENT));
        alice.refused(MetadataError.CONDITION_FAILED, put("cors", Condition.IF_ABSENT));
        Reply.DocumentStored second =
                (Reply.DocumentStored) alice.run(put("cors", Condition.ifVersion(first.number())));
        assertThat(second.number()).isGreaterThan(first.number()).isEqualTo(number("cors"));
        alice.refused(MetadataError.CONDITION_FAILED, put("cors", Condition.ifVersion(first.number())));
        alice.refused(
                MetadataError.CONDITION_FAILED,
                new Command.RemoveDocument("films", "cors", Condition.ifVersion(first.number())));
        alice.done(new Command.RemoveDocument("films", "cors", Condition.IF_PRESENT));
        assertThat(number("cors")).isZero();
        alice.done(new Command.RemoveDocument("films", "cors", Condition.NONE));
    }

    @PlantedBug(
            in = Permissions.class,
            rule = "a door reads documents only in buckets of whom it acts for",
            replace = "actsForCreator(by, find.bucket())",
            with = "true")
    @Test
    void doorReadsTheDocumentsOfThePersonsForWhomItActs() {
        alice.run(put("cors", Condition.NONE));
        alice.done(new Command.AddPrincipal(WRITER, Samples.KEY));
        Query find = new Query.FindDocument("films", "cors");
        assertFailed(rig.ask(WRITER, find), MetadataError.NOT_AUTHORISED);
        alice.done(new Command.SetActFor(WRITER, ALICE, new Rights(true, false, false)));
        assertThat(((Reply.DocumentFound) rig.ask(WRITER, find)).content()).isEqualTo(content(9));
        assertFailed(rig.ask(WRITER, new Query.ListDocuments("films")), MetadataError.NOT_AUTHORISED);
        alice.done(new Command.SetActFor(WRITER, ALICE, new Rights(false, true, false)));
        assertFailed(rig.ask(WRITER, find), MetadataError.NOT_AUTHORISED);
    }

    @Test
    void aBucketIsMadeWithItsFirstDocument() {
        alice.refused(MetadataError.BAD_NAME, creation("No"));
        alice.refused(MetadataError.NO_SUCH_BUCKET, new Command.DeleteBucket("safe"));
        alice.done(creation("s3-access"));
        assertThat(((Reply.DocumentFound) rig.ask(ALICE, new Query.FindDocument("safe", "s3-access"))).content())
                .isEqualTo(content(9));
        alice.refused(MetadataError.BUCKET_EXISTS, creation("cors"));
        assertThat(((Reply.DocumentList) rig.ask(ALICE, new Query.ListDocuments("safe"))).documents())
                .hasSize(1);
        alice.done(new Command.DeleteBucket("safe"));
        alice.done(new Command.CreateBucket("safe", "main", Versioning.LATEST_ONLY, 0));
        assertThat(((Reply.DocumentList) rig.ask(ALICE, new Query.ListDocuments("safe"))).documents())
                .isEmpty();
    }

    private static Command creation(String document) {
        return new Command.CreateBucket(
                "safe",
                "main",
                Versioning.LATEST_ONLY,
                0,
                false,
                Optional.of(new Command.NewDocument(document, content(9))));
    }

    @Test
    void documentsAreFewAndCountByTheirWeight() {
        long before = rig.machine.weight().bytesOf(ALICE);
        for (int i = 0; i < Command.DOCUMENTS_MAX; i++) {
            assertThat(alice.run(new Command.PutDocument(
                            "films", "doc-" + i, Condition.NONE, content(Command.DOCUMENT_BYTES_MAX))))
                    .isInstanceOf(Reply.DocumentStored.class);
        }
        assertThat(rig.machine.weight().bytesOf(ALICE) - before)
                .isGreaterThan((long) Command.DOCUMENTS_MAX * Command.DOCUMENT_BYTES_MAX);
        alice.refused(MetadataError.LIMIT_REACHED, put("one-more", Condition.NONE));
        assertThat(alice.run(put("doc-3", Condition.NONE))).isInstanceOf(Reply.DocumentStored.class);
        alice.refused(MetadataError.BAD_NAME, put("No", Condition.NONE));
        assertThat(((Reply.DocumentList) rig.ask(ALICE, new Query.ListDocuments("films"))).documents())
                .hasSize(Command.DOCUMENTS_MAX);
        assertThat(((Reply.DocumentList) rig.ask(ALICE, new Query.ListDocuments("diary"))).documents())
                .isEmpty();
        alice.done(new Command.DeleteBucket("films"));
        assertThat(rig.machine.weight().bytesOf(ALICE)).isLessThan(before);
        alice.done(new Command.CreateBucket("films", "main", Versioning.LATEST_ONLY, 0));
        assertThat(number("doc-3")).isZero();
    }

    @Test
    void theQuotaChangesForAdministrators() {
        alice.put("films", "a", 100);
        alice.done(new Command.UpdateBucket("films", BucketChange.NONE.withQuota(150)));
        alice.refused(MetadataError.QUOTA_EXCEEDED, alice.putOf("films", "b", Condition.NONE, alice.layout(51)));
        alice.done(new Command.UpdateBucket("films", BucketChange.NONE.withQuota(0)));
        alice.put("films", "b", 51);
    }

    @Test
    void aCreatorChangesSettingsButNoQuota() {
        User writer = admitted(WRITER, new Rights(true, true, false));
        User other = admitted(OTHER, new Rights(true, true, false));
        writer.done(new Command.CreateBucket("mine", "main", Versioning.LATEST_ONLY, 0));
        BucketChange keep = BucketChange.NONE.withVersioning(Versioning.KEEP_ALL);
        writer.done(new Command.UpdateBucket("mine", keep));
        Command document = new Command.PutDocument("mine", "cors", Condition.NONE, content(3));
        assertThat(writer.run(document)).isInstanceOf(Reply.DocumentStored.class);
        writer.refused(MetadataError.NOT_AUTHORISED, new Command.UpdateBucket("mine", BucketChange.NONE.withQuota(5)));
        other.refused(MetadataError.NOT_AUTHORISED, new Command.UpdateBucket("mine", keep));
        other.refused(MetadataError.NOT_AUTHORISED, document);
        other.refused(MetadataError.NOT_AUTHORISED, new Command.RemoveDocument("mine", "cors", Condition.NONE));
        alice.done(new Command.SetGrant(OTHER, new Scope.OfBucket("mine"), new Rights(false, false, true)));
        other.done(new Command.UpdateBucket("mine", BucketChange.NONE.withQuota(5)));
        assertThat(other.run(document)).isInstanceOf(Reply.DocumentStored.class);
        alice.done(new Command.SetGrant(WRITER, new Scope.OfVolume("main"), Rights.NONE));
        writer.refused(MetadataError.NOT_AUTHORISED, new Command.UpdateBucket("mine", keep));
    }

    @Test
    void writersPlaceHoldsThatTheyCannotLift() {
        User writer = admitted(WRITER, new Rights(true, true, false));
        alice.done(new Command.CreateBucket("vault", "main", Versioning.KEEP_ALL, 0, true));
        alice.put("vault", "deed", 0);
        assertThat(writer.run(new Command.SetLegalHold("vault", "deed", 0, true)))
                .isInstanceOf(Reply.ObjectStored.class);
        writer.refused(MetadataError.NOT_AUTHORISED, new Command.SetLegalHold("vault", "deed", 0, false));
        writer.refused(
                MetadataError.NOT_AUTHORISED,
                new Command.DeleteObject("vault", "deed", 3, Condition.NONE, Command.DeleteMode.BYPASS_GOVERNANCE));
        assertThat(alice.run(new Command.SetLegalHold("vault", "deed", 0, false)))
                .isInstanceOf(Reply.ObjectStored.class);
    }

    @Test
    void readersReadDocumentsAndChangeNone() {
        assertThat(alice.run(put("cors", Condition.NONE))).isInstanceOf(Reply.DocumentStored.class);
        Reply.DocumentFound found = (Reply.DocumentFound) rig.ask(READER, new Query.FindDocument("films", "cors"));
        assertThat(found.content()).isEqualTo(content(9));
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, put("cors", Condition.NONE));
        alice.done(new Command.RevokePrincipal(BOB));
        assertFailed(rig.ask(BOB, new Query.ListDocuments("films")), MetadataError.NOT_AUTHORISED);
    }
}
