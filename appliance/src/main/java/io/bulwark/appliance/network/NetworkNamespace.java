package io.bulwark.appliance.network;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A network namespace of the kernel for processes started in it. It has no name and leaves nothing behind: it lasts as
 * long as a process that holds it. That one ends with this process and with those started in it, even if this one is
 * killed.
 */
final class NetworkNamespace implements AutoCloseable {
    /** None: it is the one that this process was started in. */
    private final @Nullable Process holder;

    private NetworkNamespace(@Nullable Process holder) {
        this.holder = holder;
    }

    /** Returns the namespace of this process, which remains when this object is closed. */
    static NetworkNamespace own() {
        return new NetworkNamespace(null);
    }

    /** A new one with a loopback device, and nothing else. */
    static NetworkNamespace open() throws IOException {
        // Its input is a pipe from here: it reads until that ends.
        Process holder = new ProcessBuilder("unshare", "--net", "sh", "-c", "echo here; exec cat")
                .redirectErrorStream(true)
                .start();
        BufferedReader said = holder.inputReader(StandardCharsets.UTF_8);
        String word = said.readLine();
        if (!Objects.equals(word, "here")) {
            holder.destroyForcibly();
            throw new IOException("no network namespace can be made: " + word);
        }
        NetworkNamespace made = new NetworkNamespace(holder);
        made.ip("link set lo up");
        return made;
    }

    /** By it {@code ip link} names the namespace. */
    long pid() {
        return holder == null ? ProcessHandle.current().pid() : holder.pid();
    }

    /** Returns the command line that runs this command in the namespace; the process is the command's own. */
    List<String> command(List<String> words) {
        List<String> all = new ArrayList<>();
        if (holder != null) {
            all.add("nsenter");
            all.add("--net=" + Path.of("/proc", Long.toString(pid()), "ns", "net"));
        }
        all.addAll(words);
        return all;
    }

    /** Commands of {@code ip}, each of which must succeed. */
    void ip(String... lines) throws IOException {
        run(List.of("ip", "-batch", "-"), lines);
    }

    /** Commands of {@code tc}, each of which must succeed. */
    void tc(String... lines) throws IOException {
        run(List.of("tc", "-batch", "-"), lines);
    }

    /** Runs a command to its end, which must succeed; returns its output. */
    String run(List<String> words, String... input) throws IOException {
        Process process =
                new ProcessBuilder(command(words)).redirectErrorStream(true).start();
        try (OutputStream in = process.getOutputStream()) {
            in.write((String.join("\n", input) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It ended before it had read all: its code says why.
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            int code = process.waitFor();
            if (code != 0) {
                throw new IOException(
                        String.join(" ", words) + " " + List.of(input) + " gave " + code + ": " + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return said;
    }

    @Override
    public void close() {
        if (holder != null) {
            holder.destroyForcibly();
        }
    }
}
