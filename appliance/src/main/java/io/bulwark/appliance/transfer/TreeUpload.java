package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PutOptions;
import io.bulwark.client.bulk.ParallelWork;
import io.bulwark.protocol.metadata.Names;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Gives a bucket's objects below a prefix the content of a directory tree. It stores regular files that differ from their object. It deletes
 * objects last, and only those whose file is certainly gone.
 */
public final class TreeUpload implements Transfer {
    private final ObjectTree target;
    private final Path root;
    private final TransferSettings settings;
    private @Nullable TreeScan scan;

    /** @param prefix put before each relative path; a '/' is added between the two if it is not empty */
    public TreeUpload(Path root, Bucket bucket, String prefix, TransferSettings settings) {
        this.root = root;
        this.target = new ObjectTree(bucket, prefix);
        this.settings = settings;
    }

    @Override
    public TransferPlan plan() throws IOException, InterruptedException {
        TreeScan found = TreeScan.of(root, settings.filter());
        found.refuse(path -> Names.problemOfKey(target.key(path)));
        scan = found;
        Map<String, ObjectInfo> objects = target.list(settings.filter());
        TransferLog log = new TransferLog();
        Set<String> stored = ConcurrentHashMap.newKeySet();
        FileComparison comparison = new FileComparison(target.bucket(), settings);
        List<Runnable> comparisons = new ArrayList<>();
        for (TreeFile file : found.files().values()) {
            ObjectInfo object = objects.get(file.path());
            if (object != null) {
                comparisons.add(() -> log.attempt(file.path(), () -> {
                    if (comparison.isStored(file, object)) {
                        stored.add(file.path());
                    }
                }));
            }
        }
        ParallelWork.run(comparisons, settings.parallel());
        return planned(found, objects, stored, log.failures());
    }

    /** @param stored the files that need not be moved */
    static TransferPlan planned(
            TreeScan scan, Map<String, ObjectInfo> objects, Set<String> stored, List<String> comparisonFailures) {
        List<TransferPlan.Change> changed = new ArrayList<>();
        for (TreeFile file : scan.files().values()) {
            if (!stored.contains(file.path())) {
                ObjectInfo there = objects.get(file.path());
                changed.add(new TransferPlan.Change(file.path(), file.bytes(), there != null, false, there));
            }
        }
        List<String> without = objects.keySet().stream()
                .filter(path -> !scan.files().containsKey(path))
                .sorted()
                .toList();
        List<String> gone = new ArrayList<>();
        SortedMap<String, Long> kept = new TreeMap<>();
        for (String path : without) {
            scan.unreadPlaceOf(path).ifPresentOrElse(place -> kept.merge(place, 1L, Long::sum), () -> gone.add(path));
        }
        TransferPlan.Findings findings = scan.findings();
        List<String> failures = new ArrayList<>(findings.failures());
        failures.addAll(comparisonFailures);
        return new TransferPlan(
                changed,
                scan.files().size() - (long) changed.size(),
                gone,
                kept,
                new TransferPlan.Findings(findings.skipped(), failures, findings.emptyDirectories()));
    }

    @Override
    public Result run(TransferPlan plan, boolean deleteGone, TransferListener listener) throws InterruptedException {
        TreeScan seen = Objects.requireNonNull(scan, "there is no plan yet");
        Map<String, TreeFile> files = new TreeMap<>(seen.files());
        FileUpload upload = new FileUpload(target.bucket(), settings.limits().up());
        target.expect(plan.changed().size() + (deleteGone ? plan.gone().size() : 0));
        TransferLog log = new TransferLog();
        List<Runnable> work = new ArrayList<>();
        for (TransferPlan.Change change : plan.changed()) {
            Path file = Objects.requireNonNull(files.get(change.path())).file();
            work.add(() -> {
                log.attempt(file.toString(), () -> {
                    PutOptions options = PutOptions.DEFAULT.withContentType(ContentTypes.of(change.path()));
                    ObjectInfo before = change.object();
                    ObjectInfo object = before == null
                            ? upload.put(file, target.key(change.path()), options, listener)
                            : upload.replace(file, before, options, listener);
                    log.moved(object.length());
                    GrowthNotice.of(file, object).ifPresent(log::note);
                });
                listener.onFile();
            });
        }
        ParallelWork.run(work, settings.parallel());
        if (deleteGone && !log.hasFailures()) {
            target.delete(plan.gone(), seen::isStillGone, settings.parallel(), log);
        }
        return log.result();
    }
}
