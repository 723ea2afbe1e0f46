package io.bulwark.metadata.ordering;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An engine within one process: the first to submit decides the place. It replaces a real one in tests and embedded
 * use, and tolerates only replicas that stop. Like a real one it decides nothing while fewer than 2f+1 replicas take
 * part.
 */
public final class MemorySequencer implements OrderingEngine.Factory {
    private static final int REMEMBERED_MAX = 65_536;

    private final Map<Long, Order> orders = new HashMap<>();

    @Override
    public synchronized OrderingEngine create(long incarnation, int self, int replicas, OrderingEngine.Host host) {
        orders.keySet().removeIf(older -> older < incarnation - 8);
        return new Member(orders.computeIfAbsent(incarnation, _ -> new Order(replicas)), host);
    }

    /** Decided batches of one incarnation; every member delivers all of them. */
    private static final class Order {
        private final int quorum;
        private final Set<Member> members = new HashSet<>();
        private final List<OrderedBatch> decided = new ArrayList<>();
        private final List<Submission> open = new ArrayList<>();
        private final Set<Submission.Id> known = new HashSet<>();

        private Order(int replicas) {
            this.quorum = 2 * (replicas / 3) + 1;
        }

        private synchronized void submit(Submission submission) {
            if (known.size() >= REMEMBERED_MAX) {
                known.clear();
            }
            if (known.add(submission.id())) {
                open.add(submission);
                decide();
            }
        }

        private synchronized void join(Member member) {
            members.add(member);
            decide();
        }

        private synchronized void leave(Member member) {
            members.remove(member);
            notifyAll();
        }

        private void decide() {
            if (members.size() >= quorum && !open.isEmpty()) {
                decided.add(new OrderedBatch(System.currentTimeMillis(), open));
                open.clear();
                notifyAll();
            }
        }

        private synchronized List<OrderedBatch> after(int count, Member member) throws InterruptedException {
            while (members.contains(member) && decided.size() == count) {
                wait();
            }
            return members.contains(member) ? List.copyOf(decided.subList(count, decided.size())) : List.of();
        }

        private synchronized int pending() {
            return open.size();
        }
    }

    private static final class Member implements OrderingEngine {
        private final Order order;
        private final Host host;
        private final Thread thread;

        private Member(Order order, Host host) {
            this.order = order;
            this.host = host;
            this.thread = Thread.ofVirtual().unstarted(this::deliver);
        }

        @Override
        public void start() {
            order.join(this);
            thread.start();
        }

        @Override
        public void submit(Submission submission) {
            order.submit(submission);
        }

        @Override
        public void onMessage(int from, Bytes message) {
            throw new IllegalStateException("this engine sends no messages");
        }

        @Override
        public EngineStatus standing() {
            return new EngineStatus(0, order.pending());
        }

        @Override
        public void close() {
            order.leave(this);
            thread.interrupt();
        }

        private void deliver() {
            int delivered = 0;
            try {
                while (true) {
                    List<OrderedBatch> next = order.after(delivered, this);
                    if (next.isEmpty()) {
                        return;
                    }
                    next.forEach(host::deliver);
                    delivered += next.size();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
