package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.bulwark.protocol.cluster.AvailabilityTarget;
import io.bulwark.protocol.cluster.ClassAdvice;
import io.bulwark.protocol.cluster.PolicyAdvice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code advise}: what the classes of protection cost, and how available they are. */
@Command(
        name = "advise",
        description = {
            "Show what each class of protection costs for objects, and how available it is.",
            "F nodes lie; of the others each is up with probability MU. Columns: bytes stored per byte, nodes that a"
                    + " read asks, and the probabilities that a read right after the write, or once all nodes hold"
                    + " their part, finds too few nodes, and that a write waits for one. Needs no cluster."
        })
final class AdviseCommand implements Callable<Integer> {
    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Option(
            names = "--nodes",
            required = true,
            paramLabel = "N",
            description = "Number of storage nodes; the archive class uses at most 255.")
    private int nodes;

    @Option(
            names = "--faults",
            defaultValue = "1",
            paramLabel = "F",
            description = "Byzantine nodes to tolerate in each placement group (default: ${DEFAULT-VALUE}).")
    private int faults = 1;

    @Option(
            names = "--availability",
            defaultValue = "0.99",
            paramLabel = "MU",
            description = "Probability with which a node answers in time (default: ${DEFAULT-VALUE}).")
    private double availability;

    @Option(
            names = "--target",
            defaultValue = "1e-6",
            paramLabel = "P",
            description = "Probability with which too few nodes may answer, for archive (default: ${DEFAULT-VALUE}).")
    private double target;

    @Option(
            names = "--price",
            paramLabel = "PRICE",
            description = "Price of one TB of disk for a month; shows the price of one TB of objects.")
    private @Nullable Double price;

    @Override
    public Integer call() {
        if (price != null && !(price >= 0)) {
            throw new CommandFailure(CommandFailure.USAGE, "--price is at least 0");
        }
        ClassAdvice advice = checked(() -> ClassAdvice.of(nodes, faults, new AvailabilityTarget(availability, target)));
        if (global.json()) {
            GlobalOptions.printJson(advice.choices().stream().map(this::view).toList());
        } else {
            if (!advice.choices().isEmpty()) {
                print(advice.choices());
            }
            advice.refused().forEach(System.out::println);
        }
        return 0;
    }

    private void print(List<PolicyAdvice> advice) {
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(
                List.of("POLICY", "BLOCK", "STORED", "ASKED", "NO READ AFTER WRITE", "NO READ LATER", "WRITE WAITS"));
        rows.add(head);
        for (PolicyAdvice each : advice) {
            List<String> row = new ArrayList<>(List.of(
                    each.policy().text(),
                    Text.bytes(each.policy().blockBytes()),
                    Text.number("%.2f", each.storedPerByte()),
                    Integer.toString(each.asked()),
                    Text.number("%.1e", each.afterWrite()),
                    Text.number("%.1e", each.whenComplete()),
                    Text.number("%.1e", each.writeWaits())));
            if (price != null) {
                row.add(Text.number("%.2f", price * each.storedPerByte()));
            }
            rows.add(row);
        }
        if (price != null) {
            head.add("TB-MONTH");
        }
        System.out.println(Text.table(rows));
    }

    private AdviceView view(PolicyAdvice advice) {
        return new AdviceView(
                advice.policy().protocol().text(),
                advice.policy().f(),
                advice.policy().m(),
                advice.policy().n(),
                advice.policy().blockBytes(),
                advice.storedPerByte(),
                advice.asked(),
                advice.afterWrite(),
                advice.whenComplete(),
                advice.writeWaits(),
                price == null ? null : price * advice.storedPerByte());
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record AdviceView(
            String protocol,
            int faults,
            int dataFragments,
            int fragments,
            int blockBytes,
            double storedPerByte,
            int asked,
            double unreadableAfterWrite,
            double unreadableLater,
            double writeWaits,
            @Nullable Double pricePerTbMonth) {}

    private static <T> T checked(Supplier<T> choice) {
        try {
            return choice.get();
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }
}
