package io.bulwark.appliance.cli;

import io.bulwark.simulation.exhaustive.Exploration;
import io.bulwark.simulation.exhaustive.Explorer;
import io.bulwark.simulation.exhaustive.ExtentTinyWorlds;
import io.bulwark.simulation.exhaustive.FpTinyWorlds;
import io.bulwark.simulation.exhaustive.TinyWorld;
import io.bulwark.simulation.extent.ExtentParts;
import io.bulwark.simulation.fp.FpParts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** {@code simulate --exhaustive}: every order of the tiny worlds of one protocol, one world after the other. */
final class ExhaustiveSearch {
    private static final long PROGRESS_NANOS = 2_000_000_000L;

    private final int depthMax;
    private final long statesMax;
    private final double seconds;
    private final long begunNanos = System.nanoTime();
    private long toldNanos = begunNanos;

    /**
     * A search that begins now.
     *
     * @param depthMax steps in one order
     * @param statesMax different states of one world
     * @param seconds for all worlds together
     */
    ExhaustiveSearch(int depthMax, long statesMax, double seconds) {
        this.depthMax = depthMax;
        this.statesMax = statesMax;
        this.seconds = seconds;
    }

    /** The worlds of a protocol, the small ones first; empty if it has none. */
    static List<TinyWorld> worldsOf(String protocol) {
        return switch (protocol) {
            case "fp" -> {
                List<TinyWorld> worlds = new ArrayList<>(FpTinyWorlds.small(FpParts.PRODUCTION));
                worlds.addAll(FpTinyWorlds.wide(FpParts.PRODUCTION));
                worlds.addAll(FpTinyWorlds.turns(FpParts.PRODUCTION));
                worlds.addAll(FpTinyWorlds.large(FpParts.PRODUCTION));
                yield worlds;
            }
            case "extent" ->
                Stream.of(ExtentTinyWorlds.small(ExtentParts.PRODUCTION), ExtentTinyWorlds.wide(ExtentParts.PRODUCTION))
                        .flatMap(List::stream)
                        .toList();
            default -> List.of();
        };
    }

    /** The exit code. */
    int run(List<TinyWorld> worlds) {
        long states = 0;
        double orders = 0;
        int explored = 0;
        int exhausted = 0;
        for (TinyWorld world : worlds) {
            if (elapsed() >= seconds && explored > 0) {
                break;
            }
            Exploration one =
                    Explorer.explore(world, depthMax, statesMax, (depth, found) -> mayContinue(world, depth, found));
            System.out.println(one.summary());
            explored++;
            exhausted += one.complete() ? 1 : 0;
            states += one.states();
            orders += one.schedules();
            if (one.counterexample().isPresent()) {
                System.out.println("violated: " + one.counterexample().orElseThrow());
                return CommandFailure.FAILED;
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%.0f s: %d of %d worlds explored, %,d states, %.3g orders, no violation; %s%n",
                elapsed(),
                explored,
                worlds.size(),
                states,
                orders,
                exhausted == worlds.size()
                        ? "all orders exhausted"
                        : exhausted + " exhausted, the others up to a bound or not at all");
        return 0;
    }

    private double elapsed() {
        return (System.nanoTime() - begunNanos) / 1e9;
    }

    private boolean mayContinue(TinyWorld world, int depth, long states) {
        if (System.nanoTime() - toldNanos >= PROGRESS_NANOS) {
            toldNanos = System.nanoTime();
            System.err.printf(
                    Locale.ROOT, "%.0f s: %s: %,d states, depth %d%n", elapsed(), world.name(), states, depth);
        }
        return elapsed() < seconds;
    }
}
