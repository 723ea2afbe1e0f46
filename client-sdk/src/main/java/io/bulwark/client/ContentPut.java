package io.bulwark.client;

import io.bulwark.client.encryption.ObjectEncryption;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.object.Deadline;
import io.bulwark.client.object.ObjectWriter;
import io.bulwark.client.object.RetryableException;
import io.bulwark.client.object.SessionLostException;
import io.bulwark.client.object.StaleEpochException;
import io.bulwark.protocol.bucket.ObjectPut;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectAttributes;
import java.io.IOException;
import java.util.function.Function;
import java.util.function.LongConsumer;

/** Stores content as extents of a volume, and then makes it visible as an object or as a part of one. */
final class ContentPut {
    /**
     * Attempts while placement groups change. A node that leaves is replaced in one group after the other, and a large object
     * is in all of them.
     */
    private static final int EPOCHS_MAX = 32;

    private final BulwarkClient client;
    private final int volume;
    private final Subject subject;
    private final PutOptions options;
    private final boolean isObject;
    private final Function<ObjectAttributes, ObjectPut.Destination> destination;
    private final FinalAttributes attributes;
    private final Deadline deadline;

    /** Hands what is to be put to a writer. */
    interface Content {
        void feed(ObjectWriter writer) throws IOException;
    }

    /** Answer of the state machine, the length in bytes, and the attributes. */
    record Stored(Reply.Stored reply, long length, ObjectAttributes attributes) {}

    /**
     * @param isObject whether the content becomes an object, and not a part of one
     * @param destination the place for content with these attributes
     */
    ContentPut(
            BulwarkClient client,
            int volume,
            Subject subject,
            PutOptions options,
            boolean isObject,
            Function<ObjectAttributes, ObjectPut.Destination> destination) {
        this.client = client;
        this.volume = volume;
        this.subject = subject;
        this.options = options;
        this.isObject = isObject;
        this.destination = destination;
        this.attributes = new FinalAttributes(options, subject);
        this.deadline = Deadline.in(options.deadline());
    }

    /**
     * Puts once; again only when nothing has happened yet: in another session if the first was lost, with another map if a
     * placement group has changed.
     */
    Stored put(long length, Content content, int attemptsMax) {
        for (int attempt = 1; ; attempt++) {
            ObjectWriter writer = writer(length);
            try {
                content.feed(writer);
                long written = writer.length();
                return stored(writer.finish(), written);
            } catch (RetryableException e) {
                UnavailableException inVain = unavailableAfter(e);
                boolean follows = e instanceof StaleEpochException && attemptsMax > 1;
                if (attempt >= (follows ? EPOCHS_MAX : attemptsMax)) {
                    throw inVain;
                }
            } catch (IOException e) {
                throw FilePut.unreadable(subject, e);
            } finally {
                writer.abort();
            }
        }
    }

    /** Returns a stream whose content is put when it is closed. */
    WriterStream stream(Function<Stored, ObjectInfo> describing) {
        return new WriterStream(
                writer(-1),
                (reply, length) -> describing.apply(stored(reply, length)),
                this::unavailableAfter,
                subject);
    }

    private Stored stored(Reply.Stored reply, long length) {
        return new Stored(reply, length, attributes.get());
    }

    /** Prepares the next attempt, and returns the exception for the user if there is none. */
    private UnavailableException unavailableAfter(RetryableException e) {
        return switch (e) {
            case SessionLostException ignored ->
                new UnavailableException("the session was closed during the write; retry the put", subject, e);
            case StaleEpochException ignored -> {
                client.view().refresh(deadline);
                yield new UnavailableException(
                        "a node was replaced during the write (" + e.getMessage() + "); retry the put", subject, e);
            }
        };
    }

    private ObjectWriter writer(long length) {
        boolean isSealed = options.properties().containsKey(ObjectEncryption.PROPERTY);
        LongConsumer progress = done -> options.progress().onProgress(done, length);
        return new ObjectWriter(
                client.store(),
                client.view().volume(volume, subject, deadline),
                new ObjectWriter.Target(
                        subject,
                        isObject,
                        (layout, epochs, pending) ->
                                destination.apply(attributes.get()).commit(layout, epochs, pending),
                        isSealed ? client.inlineLimit().ofSealed() : client.inlineLimit()),
                length,
                deadline,
                progress);
    }
}
