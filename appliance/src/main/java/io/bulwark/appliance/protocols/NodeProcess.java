package io.bulwark.appliance.protocols;

import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.network.HostNetwork;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The process of the {@link ComparisonNodes}, on a host of its own where there is a network. It ends with this one. */
final class NodeProcess implements AutoCloseable {
    private static final int HEAP_MEBIBYTES = 2048;
    private static final long END_SECONDS_MAX = 20;

    private final Process process;
    private final PrintStream in;
    private final BufferedReader out;
    private final List<InetSocketAddress> addresses = new ArrayList<>();

    /**
     * Work of all nodes so far.
     *
     * @param macNanos time for MACs
     * @param storeNanos time from the order to the store to its answer, of all orders together
     * @param processorNanos processor time of the process
     */
    record Work(long macNanos, long storeNanos, long processorNanos) {
        Work plus(Work other) {
            return new Work(
                    macNanos + other.macNanos, storeNanos + other.storeNanos, processorNanos + other.processorNanos);
        }

        Work minus(Work earlier) {
            return new Work(
                    macNanos - earlier.macNanos,
                    storeNanos - earlier.storeNanos,
                    processorNanos - earlier.processorNanos);
        }
    }

    NodeProcess(Optional<HostNetwork.Host> host, byte[] secret, int nodes) throws IOException {
        String address = host.map(HostNetwork.Host::address)
                .orElse(InetAddress.getLoopbackAddress().getHostAddress());
        List<String> command = new ArrayList<>(JavaCommand.member(HEAP_MEBIBYTES));
        command.addAll(List.of("bench-nodes", "--host", address, "--count", Integer.toString(nodes)));
        process = new ProcessBuilder(host.map(each -> each.command(command)).orElse(command))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        out = process.inputReader(StandardCharsets.UTF_8);
        try {
            in.println(HexFormat.of().formatHex(secret));
            for (long port : numbers()) {
                addresses.add(new InetSocketAddress(InetAddress.getByName(address), (int) port));
            }
        } catch (IOException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    /** Returns the numbers of the next line that begins with one: the virtual machine may write others. */
    private long[] numbers() throws IOException {
        String line;
        do {
            line = out.readLine();
            if (line == null) {
                throw new IOException("the process of the nodes has ended");
            }
        } while (line.isEmpty() || !Character.isDigit(line.charAt(0)));
        return Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
    }

    /** Returns the addresses of the nodes, in the order of their numbers. */
    List<InetSocketAddress> addresses() {
        return List.copyOf(addresses);
    }

    Work work() throws IOException {
        in.println(ComparisonNodes.WORK);
        long[] numbers = numbers();
        return new Work(numbers[0], numbers[1], numbers[2]);
    }

    @Override
    public void close() {
        in.close();
        try {
            if (!process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
