package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.ProgressWatch;
import io.bulwark.appliance.cluster.RunningProcess;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.control.ControlSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code bulwark down}. */
@Command(
        name = "down",
        description = {
            "Stop the appliance of this data directory, even during startup; its data is kept.",
            "Wait until its process has ended."
        })
final class DownCommand implements Callable<Integer> {
    private static final long PAUSE_MILLIS = 100;
    private static final int ATTEMPTS_MAX = 100;

    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path data = global.data();
        DataDirectory directory = DataDirectory.at(data);
        long pid = toldToEnd(directory);
        RunningProcess process = RunningProcess.of(pid);
        StartupLines story = StartupLines.standard();
        ProgressWatch progress = new ProgressWatch();
        // The number of a process in another container means another process here, or none: the lock is the same.
        while (process.isAlive() || directory.holder().equals(OptionalLong.of(pid))) {
            String doing = ControlSocket.progress(data).doing();
            String waiting = "waiting for process " + pid + " to end" + (doing.isEmpty() ? "" : ": " + doing);
            if (progress.isStalled(waiting)) {
                story.erase();
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        "the appliance on " + data + " does not stop: no progress for "
                                + ProgressWatch.PATIENCE.toMinutes() + " minutes while " + waiting + "; `kill -9 " + pid
                                + "` kills it without loss of acknowledged data");
            }
            story.awaits(waiting);
            Thread.sleep(PAUSE_MILLIS);
        }
        story.erase();
        global.print(new DownView(true, data.toString()), "The appliance on " + data + " is down.");
        return 0;
    }

    /**
     * Returns the process that was told to end. One that does not listen yet, or not any more, has the lock of the
     * directory, and gets a signal.
     */
    private long toldToEnd(DataDirectory directory) throws IOException, InterruptedException {
        OptionalLong holder = knownHolder(directory);
        if (holder.isPresent() && !ControlSocket.isServed(directory.root())) {
            RunningProcess.of(holder.getAsLong()).terminate();
            return holder.getAsLong();
        }
        Map<String, Object> answer = ApplianceControl.ask(global, ControlRequest.of(ApplianceControl.DOWN));
        return answer.get("pid") instanceof Number number ? number.longValue() : holder.orElse(0);
    }

    /** Returns the process that has the directory, once it has told its number. */
    private static OptionalLong knownHolder(DataDirectory directory) throws IOException, InterruptedException {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            OptionalLong holder = directory.holder();
            if (!holder.equals(OptionalLong.of(0))) {
                return holder;
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        throw new CommandFailure(
                CommandFailure.FAILED,
                "a process has taken " + directory.root() + " without telling its number; try again");
    }

    private record DownView(boolean down, String data) {}
}
