package io.bulwark.gateway.s3.http;

import io.bulwark.gateway.s3.request.Addressing;
import io.bulwark.gateway.s3.request.Operations;
import io.bulwark.gateway.s3.signature.Authenticator;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Parts of a server that its connections share. */
final class ServerContext {
    /** Odd, so that all 64-bit numbers come before one comes again. */
    private static final long ID_STEP = 0x9e3779b97f4a7c15L;

    private static final int FORMS_SHARE = 4;

    private final S3Limits limits;
    private final Authenticator authenticator;
    private final Addressing addressing;
    private final Operations operations;
    private final S3Meters meters;
    private final Semaphore requests;
    /** Forms prove their sender only after some fields have arrived, as slowly as anybody likes. */
    private final Semaphore unverifiedForms;

    private final Map<PrincipalId, Integer> requestsOf = new ConcurrentHashMap<>();
    private final int requestsOfOneMax;

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final AtomicLong idleTimes = new AtomicLong();
    private final AtomicLong nextId = new AtomicLong(ThreadLocalRandom.current().nextLong());
    private final String hostId = hex(ThreadLocalRandom.current().nextLong());
    private volatile boolean stopping;

    ServerContext(S3Settings settings, Authenticator authenticator, Operations operations, S3Meters meters) {
        this.limits = settings.limits();
        this.authenticator = authenticator;
        this.addressing = new Addressing(settings.domains());
        this.operations = operations;
        this.meters = meters;
        this.requests = new Semaphore(settings.limits().requestsMax());
        this.requestsOfOneMax = settings.limits().requestsOfOneMax();
        this.unverifiedForms = new Semaphore(Math.max(1, settings.limits().requestsMax() / FORMS_SHARE));
    }

    private static String hex(long number) {
        return String.format("%016X", number);
    }

    S3Limits limits() {
        return limits;
    }

    Authenticator authenticator() {
        return authenticator;
    }

    Addressing addressing() {
        return addressing;
    }

    Operations operations() {
        return operations;
    }

    S3Meters meters() {
        return meters;
    }

    Responder.RequestIds newIds() {
        String requestId = hex(nextId.getAndAdd(ID_STEP));
        return new Responder.RequestIds(requestId, hostId + "/" + requestId);
    }

    /** Returns a positive number that is larger each time. */
    long nextIdle() {
        return idleTimes.incrementAndGet();
    }

    /** Returns whether one more request may be in processing; {@link #leave} must follow. */
    boolean tryEnter() {
        boolean entered = requests.tryAcquire();
        if (entered) {
            meters.active.incrementAndGet();
        }
        return entered;
    }

    void leave() {
        meters.active.decrementAndGet();
        requests.release();
    }

    /**
     * Returns whether one more request of a sender may be in processing, as slow ones of one must not keep all others out;
     * {@link #leaveOf} must follow.
     */
    boolean tryEnterOf(PrincipalId sender) {
        boolean entered = requestsOf.merge(sender, 1, Integer::sum) <= requestsOfOneMax;
        if (!entered) {
            leaveOf(sender);
        }
        return entered;
    }

    void leaveOf(PrincipalId sender) {
        requestsOf.computeIfPresent(sender, (_, count) -> count == 1 ? null : count - 1);
    }

    /** Returns whether one more form may wait for its fields; {@link #endFields} must follow. */
    boolean tryAwaitFields() {
        return unverifiedForms.tryAcquire();
    }

    void endFields() {
        unverifiedForms.release();
    }

    /** Runs a request on a virtual thread. */
    void start(String name, Runnable task) {
        Thread thread = Thread.ofVirtual().name(name).unstarted(() -> {
            try {
                task.run();
            } finally {
                threads.remove(Thread.currentThread());
            }
        });
        threads.add(thread);
        thread.start();
    }

    boolean isStopping() {
        return stopping;
    }

    /** Lets each connection end after its current request. */
    void stop() {
        stopping = true;
    }

    /** Interrupts the requests that still run. */
    void interrupt() {
        threads.forEach(Thread::interrupt);
    }

    boolean isIdle() {
        return threads.isEmpty();
    }
}
