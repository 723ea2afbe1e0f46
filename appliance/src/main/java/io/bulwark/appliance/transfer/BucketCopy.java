package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.Precondition;
import io.bulwark.client.bulk.ParallelWork;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives the objects below one prefix the content of those below another, also of another bucket. Within one volume no bytes move. An object is
 * the same if size and attributes are, and its copy is not older; with a comparison of contents, if the blocks or the bytes are.
 */
public final class BucketCopy implements Transfer {
    private final ObjectTree source;
    private final ObjectTree target;
    private final TransferSettings settings;

    /** @throws IllegalArgumentException if one prefix is below the other: a copy would be copied again */
    public BucketCopy(Bucket from, String prefix, Bucket to, String targetPrefix, TransferSettings settings) {
        this.source = new ObjectTree(from, prefix);
        this.target = new ObjectTree(to, targetPrefix);
        this.settings = settings;
        if (from.name().equals(to.name())
                && (source.prefix().startsWith(target.prefix())
                        || target.prefix().startsWith(source.prefix()))) {
            throw new IllegalArgumentException("source and target overlap: both are in bucket " + from.name());
        }
    }

    @Override
    public TransferPlan plan() throws InterruptedException {
        Map<String, ObjectInfo> from = source.listSource(settings.filter());
        Map<String, ObjectInfo> to = target.list(settings.filter());
        TransferLog log = new TransferLog();
        Set<String> same = ConcurrentHashMap.newKeySet();
        List<Runnable> comparisons = new ArrayList<>();
        from.forEach((path, object) -> {
            ObjectInfo copy = to.get(path);
            if (copy != null) {
                comparisons.add(() -> log.attempt(path, () -> {
                    if (isSame(object, copy)) {
                        same.add(path);
                    }
                }));
            }
        });
        ParallelWork.run(comparisons, settings.parallel());
        List<TransferPlan.Change> changed = new ArrayList<>();
        from.forEach((path, object) -> {
            if (!same.contains(path)) {
                changed.add(new TransferPlan.Change(path, object.length(), to.containsKey(path), false, object));
            }
        });
        List<String> gone =
                to.keySet().stream().filter(path -> !from.containsKey(path)).toList();
        return new TransferPlan(
                changed,
                same.size(),
                gone,
                Collections.emptySortedMap(),
                new TransferPlan.Findings(List.of(), log.failures(), 0));
    }

    private boolean isSame(ObjectInfo object, ObjectInfo copy) {
        if (object.length() != copy.length()) {
            return false;
        }
        if (!settings.checksum()) {
            return object.state().attributes().equals(copy.state().attributes())
                    && !copy.modified().isBefore(object.modified());
        }
        ObjectInfo one = source.bucket().head(object.key(), object.version());
        ObjectInfo other = target.bucket().head(copy.key(), copy.version());
        return (!one.blocks().isEmpty() && one.blocks().equals(other.blocks()))
                || ContentDigest.of(source.bucket(), one, settings.limits().down())
                        .equals(ContentDigest.of(
                                target.bucket(), other, settings.limits().down()));
    }

    @Override
    public Result run(TransferPlan plan, boolean deleteGone, TransferListener listener) throws InterruptedException {
        target.expect(plan.changed().size() + (deleteGone ? plan.gone().size() : 0));
        TransferLog log = new TransferLog();
        List<Runnable> work = new ArrayList<>();
        for (TransferPlan.Change change : plan.changed()) {
            work.add(() -> {
                log.attempt(change.path(), () -> {
                    ObjectInfo copied = source.bucket()
                            .copy(
                                    source.key(change.path()),
                                    target.bucket(),
                                    target.key(change.path()),
                                    Precondition.NONE);
                    log.moved(copied.length());
                });
                listener.onBytes(change.bytes());
                listener.onFile();
            });
        }
        ParallelWork.run(work, settings.parallel());
        if (deleteGone && !log.hasFailures()) {
            target.delete(plan.gone(), source::isGone, settings.parallel(), log);
        }
        return log.result();
    }
}
