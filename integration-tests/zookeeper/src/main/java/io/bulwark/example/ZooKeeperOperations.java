package io.bulwark.example;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingCluster;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/**
 * Measures creates and updates of 256 bytes by ZooKeeper: three servers in this process, each of which syncs what it
 * acknowledges, and one client.
 */
public final class ZooKeeperOperations {
    private static final int BYTES = 256;
    private static final int SERVERS = 3;
    private static final int[] CALLERS = {1, 16};
    private static final int TIMEOUT_MILLIS = 30_000;

    /** One operation of a caller. */
    private interface Operation {
        void run(int caller, int round) throws Exception;
    }

    private ZooKeeperOperations() {}

    /**
     * Prints one line for each kind of operation and number of callers.
     *
     * @param arguments seconds of each measurement
     */
    public static void main(String[] arguments) throws Exception {
        System.setProperty("zookeeper.admin.enableServer", "false");
        double seconds = arguments.length == 0 ? 5 : Double.parseDouble(arguments[0]);
        byte[] content = new byte[BYTES];
        try (TestingCluster servers = new TestingCluster(SERVERS)) {
            servers.start();
            CountDownLatch connected = new CountDownLatch(1);
            ZooKeeper client = new ZooKeeper(servers.getConnectString(), TIMEOUT_MILLIS, event -> {
                if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                    connected.countDown();
                }
            });
            if (!connected.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("no server of " + servers.getConnectString() + " answers");
            }
            for (int callers : CALLERS) {
                String root = "/of-" + callers;
                create(client, root, content);
                for (int caller = 0; caller < callers; caller++) {
                    create(client, root + "/" + caller, content);
                }
                measure("create", callers, seconds, (caller, round) -> create(
                        client, root + "/" + caller + "-" + round, content));
                measure("update", callers, seconds, (caller, round) -> client.setData(
                        root + "/" + caller, content, -1));
            }
            client.close();
        }
    }

    private static void create(ZooKeeper client, String path, byte[] content) throws Exception {
        client.create(path, content, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    private static void measure(String what, int callers, double seconds, Operation operation) throws Exception {
        ConcurrentLinkedQueue<long[]> all = new ConcurrentLinkedQueue<>();
        long processor = processorNanos();
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        Thread[] threads = new Thread[callers];
        for (int i = 0; i < callers; i++) {
            int caller = i;
            threads[i] = new Thread(() -> all.add(run(caller, end, operation)));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        double took = (System.nanoTime() - start) / 1e9;
        long[] nanos = all.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        System.out.printf(
                Locale.ROOT,
                "%s, %d callers: %.0f/s, p50 %.2f ms, %.3f ms of this process each%n",
                what,
                callers,
                nanos.length / took,
                nanos[nanos.length / 2] / 1e6,
                (processorNanos() - processor) / 1e6 / nanos.length);
    }

    /** Returns how long each operation took. */
    private static long[] run(int caller, long endNanos, Operation operation) {
        long[] nanos = new long[1 << 20];
        int round = 0;
        for (long now = System.nanoTime(); now - endNanos < 0 && round < nanos.length; round++) {
            try {
                operation.run(caller, round);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            long after = System.nanoTime();
            nanos[round] = after - now;
            now = after;
        }
        return Arrays.copyOf(nanos, round);
    }

    private static long processorNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
