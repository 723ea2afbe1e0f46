package io.bulwark.simulation.ordering;

import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Lies in view changes. */
final class ViewChangeLies {
    private final OrderingPlot plot;
    private final RandomGenerator random;

    ViewChangeLies(OrderingPlot plot, RandomGenerator random) {
        this.plot = plot;
        this.random = random;
    }

    ViewChange of(ViewChange told, int logSize) {
        Numbered never = plot.never();
        if (never != null && random.nextBoolean()) {
            long stable = Math.max(0, never.sequence() - logSize);
            return new ViewChange(told.view(), stable, List.of(never), List.of(), List.of());
        }
        return switch (random.nextInt(5)) {
            case 0 -> new ViewChange(told.view(), told.stable(), told.checkpoints(), List.of(), List.of());
            case 1 -> invented(told, logSize);
            case 2 -> {
                List<Numbered> checkpoints = new ArrayList<>();
                told.checkpoints()
                        .forEach(each ->
                                checkpoints.add(new Numbered(each.sequence(), plot.falseDigest(each.sequence()))));
                yield new ViewChange(told.view(), told.stable(), checkpoints, told.prepared(), told.prePrepared());
            }
            case 3 -> new ViewChange(told.view(), 0, List.of(), List.of(), List.of());
            default ->
                new ViewChange(
                        told.view() + random.nextInt(3),
                        told.stable() + logSize,
                        told.checkpoints(),
                        List.of(),
                        List.of());
        };
    }

    /** Batches that prepared in the latest view, for other numbers or none at all. */
    private ViewChange invented(ViewChange told, int logSize) {
        List<Bytes> digests = new ArrayList<>(List.of(Batch.NULL_DIGEST, plot.falseDigest(told.view())));
        told.prePrepared().forEach(entry -> entry.pairs().forEach(pair -> digests.add(pair.digest())));
        List<Prepared> prepared = new ArrayList<>();
        List<PrePrepared> prePrepared = new ArrayList<>();
        long latest = told.view() - 1;
        for (long number = told.stable() + 1; number <= told.stable() + logSize; number++) {
            Bytes digest = digests.get(random.nextInt(digests.size()));
            if (random.nextBoolean()) {
                prepared.add(new Prepared(number, digest, latest));
                prePrepared.add(new PrePrepared(number, List.of(new DigestView(digest, latest))));
            }
        }
        return new ViewChange(told.view(), told.stable(), told.checkpoints(), prepared, prePrepared);
    }

    NewView of(NewView decided) {
        List<Numbered> chosen = new ArrayList<>(decided.chosen());
        List<Support> support = new ArrayList<>(decided.support());
        // Without chosen batches there is no choice to replace.
        switch (chosen.isEmpty() ? random.nextInt(3, 5) : random.nextInt(6)) {
            case 0 -> {
                int place = random.nextInt(chosen.size());
                chosen.set(place, new Numbered(chosen.get(place).sequence(), Batch.NULL_DIGEST));
            }
            case 1 -> {
                int place = random.nextInt(chosen.size());
                Numbered other = chosen.get(random.nextInt(chosen.size()));
                chosen.set(place, new Numbered(chosen.get(place).sequence(), other.digest()));
            }
            case 2 ->
                chosen.subList(random.nextInt(chosen.size()), chosen.size()).clear();
            case 3 -> support.removeLast();
            case 4 ->
                chosen.add(new Numbered(
                        decided.checkpoint().sequence() + chosen.size() + 1, plot.falseDigest(decided.view())));
            default -> {
                int place = random.nextInt(support.size());
                support.set(place, new Support(support.get(place).replica(), plot.falseDigest(decided.view())));
            }
        }
        return new NewView(decided.view(), support, decided.checkpoint(), chosen);
    }

    /** Asks for a view that nobody else wants. */
    ViewChange early(Status of, int logSize) {
        long stable = Math.min(of.stable(), Integer.MAX_VALUE);
        long view = Math.min(of.view(), Integer.MAX_VALUE) + 1 + random.nextInt(2);
        ViewChange empty = new ViewChange(view, stable, List.of(), List.of(), List.of());
        return random.nextBoolean() ? empty : invented(empty, logSize);
    }
}
