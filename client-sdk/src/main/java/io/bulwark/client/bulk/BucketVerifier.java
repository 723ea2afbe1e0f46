package io.bulwark.client.bulk;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Reads all objects of a bucket back through the SDK, which checks every byte, and reports the evidence about the
 * nodes.
 */
public final class BucketVerifier {
    private static final int EXAMPLES_MAX = 20;

    private final Bulwark client;
    private final Bucket bucket;
    private final int parallel;
    private final GetOptions options;

    /** @param options of each read; the version is that of the object */
    public BucketVerifier(Bulwark client, Bucket bucket, int parallel, GetOptions options) {
        this.client = client;
        this.bucket = bucket;
        this.parallel = parallel;
        this.options = options;
    }

    /**
     * Result of a verification.
     *
     * @param unreadable objects that could not be read, with the reason
     * @param seen count of each verdict, by node
     * @param examples some of the evidence, for people: node, verdict, object, block
     */
    public record Report(
            long objects,
            long bytes,
            List<String> unreadable,
            SortedMap<String, Map<Verdict, Long>> seen,
            List<String> examples) {}

    /** The objects to read. */
    public List<ObjectInfo> objects(String prefix) {
        try (Stream<ObjectInfo> all = bucket.stream(prefix)) {
            return all.toList();
        }
    }

    /**
     * Reads them.
     *
     * @param read is told of the bytes of each object that was read
     */
    public Report run(List<ObjectInfo> objects, LongConsumer read) throws InterruptedException {
        return run(objects, read, () -> false);
    }

    /**
     * Reads them, unless it is told to stop: then it leaves out the objects that it has not begun.
     *
     * @param read is told of the bytes of each object that was read
     * @param stopped is asked before each object
     */
    public Report run(List<ObjectInfo> objects, LongConsumer read, BooleanSupplier stopped)
            throws InterruptedException {
        long before = client.evidence().last();
        AtomicLong good = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        ConcurrentLinkedQueue<String> unreadable = new ConcurrentLinkedQueue<>();
        Holders holders = new Holders();
        List<Runnable> work = new ArrayList<>();
        for (ObjectInfo object : objects) {
            work.add(() -> {
                if (stopped.getAsBoolean()) {
                    return;
                }
                try {
                    // The servers' data is checked as stored, so this client needs no encryption key.
                    GetOptions exactly = options.withVersion(object.version()).withAsStored(true);
                    ObjectInfo got = bucket.readTo(object.key(), OutputStream.nullOutputStream(), exactly);
                    good.incrementAndGet();
                    bytes.addAndGet(got.length());
                    holders.add(got);
                } catch (NoSuchKeyException e) {
                    good.incrementAndGet(); // Deleted since it was listed.
                } catch (BulwarkException e) {
                    unreadable.add(object.key() + ": " + e.getMessage());
                } finally {
                    read.accept(object.length());
                }
            });
        }
        ParallelWork.run(work, parallel);
        SortedMap<String, Map<Verdict, Long>> seen = new TreeMap<>();
        List<String> examples = new ArrayList<>();
        for (EvidenceLog.Entry entry : client.evidence().since(before)) {
            Effect.Evidence evidence = entry.evidence();
            seen.computeIfAbsent(evidence.about().toString(), name -> new EnumMap<>(Verdict.class))
                    .merge(evidence.verdict(), 1L, Long::sum);
            boolean accuses = evidence.verdict() == Verdict.CORRUPT || evidence.verdict() == Verdict.DAMAGED;
            if (accuses && examples.size() < EXAMPLES_MAX) {
                examples.add(evidence.about() + " " + evidence.verdict().text() + ": " + holders.of(evidence.block())
                        + "block " + evidence.block() + ": " + evidence.detail());
            }
        }
        return new Report(good.get(), bytes.get(), List.copyOf(unreadable), seen, examples);
    }

    /** Map from blocks to the objects that contain them. Copies share blocks; any one of them is named then. */
    static final class Holders {
        private final ConcurrentSkipListMap<BlockId, ObjectRange> pieces = new ConcurrentSkipListMap<>();

        private record ObjectRange(BlockRange range, String key) {}

        void add(ObjectInfo object) {
            object.blocks().forEach(range -> pieces.put(range.at(0), new ObjectRange(range, object.key())));
        }

        /** Named for people, with a comma; empty for an object that was not read. */
        String of(BlockId block) {
            Map.Entry<BlockId, ObjectRange> piece = pieces.floorEntry(block);
            return piece != null && piece.getValue().range().contains(block)
                    ? "object " + piece.getValue().key() + ", "
                    : "";
        }
    }
}
