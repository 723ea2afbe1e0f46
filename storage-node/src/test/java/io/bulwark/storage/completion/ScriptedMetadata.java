package io.bulwark.storage.completion;

import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.FaultPolicy;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.SessionChange;
import io.bulwark.protocol.metadata.Suspicion;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.jspecify.annotations.NullMarked;

/** Scripted metadata of a test: volumes, their references, and changes of their sessions. */
@NullMarked
final class ScriptedMetadata implements Metadata {
    final List<Reply.Reference> references = new CopyOnWriteArrayList<>();
    final List<SessionChange> changes = new CopyOnWriteArrayList<>();
    final List<Command> commands = new CopyOnWriteArrayList<>();
    final List<Suspicion> suspicions = new CopyOnWriteArrayList<>();
    volatile FaultPolicy faultPolicy = FaultPolicy.DEFAULT;
    /** Answer to every command. */
    volatile Reply reply = new Reply.Done();

    /** Changes that become true after this number of further commands, since only commands move the agreed time. */
    private final Map<SessionChange, Integer> later = new ConcurrentHashMap<>();

    private final List<Volume> volumes;

    ScriptedMetadata(Volume... volumes) {
        this.volumes = new CopyOnWriteArrayList<>(volumes);
    }

    void delete(Volume volume) {
        volumes.remove(volume);
    }

    /** Replaces a volume from now on. */
    void change(Volume volume) {
        volumes.replaceAll(each -> each.id() == volume.id() ? volume : each);
    }

    Optional<Volume> volume(int id) {
        return volumes.stream().filter(each -> each.id() == id).findFirst();
    }

    @Override
    public CompletableFuture<Reply> query(Query query) {
        return CompletableFuture.completedFuture(
                switch (query) {
                    case Query.GetMap _ -> new Reply.Map(new ClusterMap(1, List.of(), List.copyOf(volumes)));
                    case Query.References asked -> {
                        List<Reply.Reference> page = page(references, one -> one.arrival() > asked.after(), 2);
                        long next =
                                page.isEmpty() ? asked.after() : page.getLast().arrival();
                        long last = references.stream()
                                .mapToLong(Reply.Reference::arrival)
                                .max()
                                .orElse(0);
                        yield new Reply.References(page, next, page.size() == 2, last);
                    }
                    case Query.SessionChanges asked -> {
                        List<SessionChange> page = page(changes, one -> one.sequence() > asked.afterSequence(), 2);
                        long next = page.isEmpty()
                                ? asked.afterSequence()
                                : page.getLast().sequence();
                        yield new Reply.SessionChanges(page, next, page.size() == 2);
                    }
                    case Query.ListNodeFaults _ ->
                        new Reply.NodeFaultList(faultPolicy, List.of(), List.copyOf(suspicions));
                    default -> throw new IllegalStateException("asked " + query);
                });
    }

    @Override
    public CompletableFuture<Session> open(int of) {
        return CompletableFuture.completedFuture(new Session() {
            @Override
            public long number() {
                return 1;
            }

            @Override
            public long ttlMillis() {
                return 60_000;
            }

            @Override
            public CompletableFuture<Reply> submit(Command command, Optional<PrincipalId> onBehalfOf) {
                if (command instanceof Command.RenewSession) {
                    pass();
                } else {
                    commands.add(command);
                }
                return CompletableFuture.completedFuture(reply);
            }
        });
    }

    /** The change comes when the agreed time has moved so often. */
    void after(int steps, SessionChange change) {
        later.put(change, steps);
    }

    private void pass() {
        later.replaceAll((_, left) -> left - 1);
        later.forEach((change, left) -> {
            if (left <= 0 && later.remove(change, left)) {
                changes.add(change);
            }
        });
    }

    private static <T> List<T> page(List<T> all, Predicate<T> which, int limit) {
        return all.stream().filter(which).limit(limit).toList();
    }
}
