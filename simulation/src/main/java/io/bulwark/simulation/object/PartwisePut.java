package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.ObjectPut;
import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.ObjectRange;
import io.bulwark.protocol.metadata.PartSelection;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.UploadName;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Puts one object by a multipart upload. Some parts are put twice, some are not selected, and some uploads are aborted or
 * left behind. A completion without a known outcome is repeated, as the SDK's users may do.
 */
final class PartwisePut {
    static final Invariant REPEATED =
            new Invariant("same-completion", "docs/protocols/metadata.md, uploads: a repeated completion");

    private static final int PARTS_MAX = 4;
    private static final int GAP_MAX = 3;
    private static final int ABORTS_ONE_IN = 12;
    private static final int REPEATS_MAX = 2;

    private final ObjectClient client;
    private final Supplier<Volume> volume;
    private final String bucket;
    private final String key;
    private final Random random;
    private final Deque<PartToPut> left = new ArrayDeque<>();
    private final TreeMap<Integer, Long> selected = new TreeMap<>();
    private Condition condition = Condition.NONE;
    private Consumer<PutOutcome> then = _ -> {};

    /** A part that is put and, if it is selected, becomes part of the object. */
    private record PartToPut(int number, Optional<List<ObjectRange>> copied, Bytes content, boolean selected) {}

    PartwisePut(ObjectClient client, Supplier<Volume> volume, String bucket, String key, Random random) {
        this.client = client;
        this.volume = volume;
        this.bucket = bucket;
        this.key = key;
        this.random = random;
    }

    /** Puts this value in parts. */
    void put(Condition when, String value, Consumer<PutOutcome> end) {
        Bytes content = Contents.of(value);
        int parts = 1 + random.nextInt(PARTS_MAX);
        int number = 0;
        int at = 0;
        for (int part = 1; part <= parts; part++) {
            number += 1 + random.nextInt(GAP_MAX);
            int until = part == parts ? content.length() : at + random.nextInt(content.length() - at + 1);
            if (random.nextInt(PARTS_MAX) == 0) {
                // It is replaced, or stands in a gap and is not selected.
                left.add(new PartToPut(number, Optional.empty(), Bytes.of(new byte[random.nextInt(700)]), false));
                number += random.nextInt(2);
            }
            left.add(new PartToPut(number, Optional.empty(), content.slice(at, until - at), true));
            at = until;
        }
        begin(when, value, end);
    }

    /** Makes the same value of slices. */
    void copy(List<ObjectRange> ranges, Condition when, String value, Consumer<PutOutcome> end) {
        int number = 0;
        for (ObjectRange range : ranges) {
            number += 1 + random.nextInt(GAP_MAX);
            left.add(new PartToPut(number, Optional.of(List.of(range)), Bytes.EMPTY, true));
        }
        begin(when, value, end);
    }

    private void begin(Condition when, String value, Consumer<PutOutcome> end) {
        condition = when;
        then = end;
        client.execute(new Command.BeginUpload(bucket, key, Contents.attributes(value), ObjectLock.NONE), reply -> {
            if (reply.orElse(null) instanceof Reply.UploadBegun begun) {
                next(new UploadName(bucket, key, begun.upload()));
            } else {
                then.accept(new PutOutcome.GivenUp());
            }
        });
    }

    private void next(UploadName upload) {
        if (random.nextInt(ABORTS_ONE_IN) == 0) {
            giveUp(upload);
            return;
        }
        PartToPut part = left.pollFirst();
        if (part == null) {
            complete(upload, REPEATS_MAX, Optional.empty());
        } else if (part.copied.isPresent()) {
            client.execute(
                    new Command.CopyPart(upload, part.number, part.copied.get(), ObjectAttributes.NONE),
                    reply -> stored(upload, part, reply));
        } else {
            client.put(
                    volume.get(),
                    new ObjectPut.PartTarget(upload, part.number, ObjectAttributes.NONE),
                    part.content,
                    random.nextBoolean(),
                    outcome -> stored(
                            upload,
                            part,
                            outcome instanceof PutOutcome.Stored(Reply.Stored reply)
                                    ? Optional.of(reply)
                                    : Optional.empty()));
        }
    }

    private void stored(UploadName upload, PartToPut part, Optional<Reply> reply) {
        if (!(reply.orElse(null) instanceof Reply.PartStored stored)) {
            giveUp(upload);
            return;
        }
        if (part.selected) {
            selected.put(part.number, stored.inode());
        }
        next(upload);
    }

    /** Aborts the upload, or leaves it behind. */
    private void giveUp(UploadName upload) {
        if (random.nextInt(3) == 0) {
            then.accept(new PutOutcome.GivenUp());
        } else {
            client.execute(new Command.AbortUpload(upload), _ -> then.accept(new PutOutcome.GivenUp()));
        }
    }

    private void complete(UploadName upload, int repeats, Optional<Reply> first) {
        List<PartSelection.Part> parts = new ArrayList<>();
        selected.forEach((number, id) -> parts.add(new PartSelection.Part(number, id)));
        Command command = new Command.CompleteUpload(upload, PartSelection.of(parts), condition, ObjectAttributes.NONE);
        client.execute(command, reply -> {
            first.ifPresent(known -> requireSame(upload, known, reply));
            boolean made = reply.orElse(null) instanceof Reply.ObjectStored;
            if (first.isPresent()) {
                end(first);
            } else if (repeats > 0 && reply.isEmpty()) {
                complete(upload, repeats - 1, Optional.empty());
            } else if (made && random.nextInt(3) == 0) {
                complete(upload, 0, reply);
            } else if (reply.isPresent() && !made && repeats < REPEATS_MAX) {
                // The one before may still be executed.
                end(Optional.empty());
            } else {
                end(reply);
            }
        });
    }

    private static void requireSame(UploadName upload, Reply known, Optional<Reply> again) {
        if (again.isPresent() && !again.get().equals(known)) {
            throw REPEATED.violation(upload.toString(), "first " + known + ", then " + again.get());
        }
    }

    private void end(Optional<Reply> reply) {
        then.accept(
                switch (reply.orElse(null)) {
                    case Reply.ObjectStored stored -> new PutOutcome.Stored(stored);
                    case Reply.Failed failed -> new PutOutcome.Refused(failed);
                    case null, default -> new PutOutcome.Unknown("no reply to the completion");
                });
    }
}
