package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Tables.DocumentKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Named documents of buckets, such as rules that gateways apply. The state machine keeps them and does not read them. */
final class BucketDocuments {
    private final Tables tables;
    private final BucketEvents events;

    /**
     * A document.
     *
     * @param number of its last change; never reused
     * @param owner who made it, on whose account it is
     */
    record Document(long number, PrincipalId owner, Bytes content) {
        void write(WireWriter out) {
            owner.write(out.i64(number));
            out.bytes(content);
        }

        static Document read(WireReader in) {
            return new Document(in.nonNegative64(), PrincipalId.read(in), in.bytes(Command.DOCUMENT_BYTES_MAX));
        }
    }

    BucketDocuments(Tables tables, BucketEvents events) {
        this.tables = tables;
        this.events = events;
    }

    Reply.DocumentStored put(Bucket bucket, Command.PutDocument put, PrincipalId owner) {
        checkName(put.name());
        DocumentKey key = new DocumentKey(bucket.name, put.name());
        Optional<Document> before = tables.documents.get(key);
        check(put.condition(), before);
        CommandRefusal.refuseUnless(
                before.isPresent() || list(bucket).size() < Command.DOCUMENTS_MAX,
                MetadataError.LIMIT_REACHED,
                "bucket " + bucket.name + " has " + Command.DOCUMENTS_MAX + " documents");
        before.ifPresent(old -> forget(key, old));
        if (put.name().equals(Command.ClaimEvents.RULES)) {
            events.open(bucket);
        }
        Document document = new Document(++tables.totals().lastVersion, owner, put.content());
        tables.documents.put(key, document);
        tables.weight.add(owner, weightOf(key, document));
        return new Reply.DocumentStored(document.number);
    }

    /** Puts the first document of a bucket that is just made. It is not refused if {@link #checkName} accepts its name. */
    void putFirst(Bucket bucket, Command.NewDocument first, PrincipalId owner) {
        put(bucket, new Command.PutDocument(bucket.name, first.name(), Condition.NONE, first.content()), owner);
    }

    void remove(Bucket bucket, Command.RemoveDocument remove) {
        checkName(remove.name());
        DocumentKey key = new DocumentKey(bucket.name, remove.name());
        Optional<Document> before = tables.documents.get(key);
        check(remove.condition(), before);
        before.ifPresent(old -> remove(bucket, key, old));
    }

    void removeAll(Bucket bucket) {
        list(bucket).forEach(entry -> remove(bucket, entry.key(), entry.value()));
    }

    Reply.DocumentFound find(Bucket bucket, String name) {
        checkName(name);
        Optional<Document> found = tables.documents.get(new DocumentKey(bucket.name, name));
        return new Reply.DocumentFound(
                found.map(Document::number).orElse(0L),
                found.map(Document::content).orElse(Bytes.EMPTY));
    }

    /** Returns the names of the documents of a bucket. */
    Reply.DocumentList names(Bucket bucket) {
        return new Reply.DocumentList(list(bucket).stream()
                .map(entry -> new Reply.DocumentEntry(
                        entry.key().name(), entry.value().number()))
                .toList());
    }

    private List<Table.Entry<DocumentKey, Document>> list(Bucket bucket) {
        List<Table.Entry<DocumentKey, Document>> all = new ArrayList<>();
        for (Table.Entry<DocumentKey, Document> entry : tables.documents.from(new DocumentKey(bucket.name, ""))) {
            if (!entry.key().bucket().equals(bucket.name)) {
                break;
            }
            all.add(entry);
        }
        return all;
    }

    private void remove(Bucket bucket, DocumentKey key, Document old) {
        if (key.name().equals(Command.ClaimEvents.RULES)) {
            events.close(bucket);
        }
        forget(key, old);
    }

    private void forget(DocumentKey key, Document old) {
        tables.documents.remove(key);
        tables.weight.add(old.owner, -weightOf(key, old));
    }

    private static long weightOf(DocumentKey key, Document document) {
        return Weight.DOCUMENT_BYTES
                + key.name().length()
                + document.content.length()
                + BucketEvents.weightOf(key.name());
    }

    private static void check(Condition condition, Optional<Document> found) {
        boolean holds = switch (condition.kind()) {
            case NONE -> true;
            case IF_ABSENT -> found.isEmpty();
            case IF_PRESENT -> found.isPresent();
            case IF_VERSION ->
                found.filter(document -> document.number == condition.version()).isPresent();
            case IF_PROPERTY -> throw new CommandRefusal(MetadataError.BAD_ARGUMENT, "a document has no properties");
        };
        CommandRefusal.refuseUnless(
                holds,
                MetadataError.CONDITION_FAILED,
                condition.kind() + ", the document has number "
                        + found.map(Document::number).orElse(0L));
    }

    static void checkName(String name) {
        Names.problemOfName(name).ifPresent(problem -> {
            throw new CommandRefusal(MetadataError.BAD_NAME, problem);
        });
    }
}
