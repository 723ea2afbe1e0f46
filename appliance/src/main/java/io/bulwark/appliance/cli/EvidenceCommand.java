package io.bulwark.appliance.cli;

import io.bulwark.client.Bulwark;
import io.bulwark.client.Faults;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.evidence.EvidenceFile;
import io.bulwark.protocol.metadata.Evidence;
import io.bulwark.protocol.metadata.EvidenceProof;
import io.bulwark.protocol.metadata.EvidenceVerification;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.transport.file.OutputFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bulwark evidence}: recorded faults and their proofs. */
@Command(
        name = "evidence",
        description = {
            "List recorded faults, explain their proofs, export them, and verify exported files.",
            "A fault is recorded once f + 1 nodes report it. Each of them signs its report with its own key."
        })
final class EvidenceCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "evidence needs one of list, show, export, verify");
    }

    @Command(
            name = "list",
            description = {
                "List the recorded faults of nodes, oldest first; for administrators also those of clients.",
                "The record keeps the last 64 about each."
            })
    int list(
            @Mixin ClusterAccess access,
            @Option(names = "--after", paramLabel = "N", description = "Begin after this fault.") long after) {
        if (after < 0) {
            throw new CommandFailure(CommandFailure.USAGE, "--after is the number of a fault, or 0");
        }
        List<Faults.Fault> faults = new ArrayList<>();
        try (Bulwark client = access.connect()) {
            Faults.Page page = client.faults().list(after, Query.PAGE_MAX);
            faults.addAll(page.faults());
            while (page.more()) {
                page = client.faults().list(page.faults().getLast().number(), Query.PAGE_MAX);
                faults.addAll(page.faults());
            }
        }
        if (access.global().json()) {
            GlobalOptions.printJson(
                    faults.stream().map(EvidenceText.FaultView::of).toList());
        } else {
            System.out.println(faults.isEmpty() ? "No fault is recorded." : EvidenceText.table(faults));
        }
        return 0;
    }

    @Command(
            name = "show",
            description = {
                "Show a recorded fault and explain its proof step by step. Needs the right to administer.",
                "Exit code 1 if there is no such fault."
            })
    int show(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "NUMBER", description = "As `bulwark evidence list` shows it.") long number) {
        Evidence evidence;
        EvidenceProof proof = null;
        try (Bulwark client = access.connect()) {
            evidence = client.faults()
                    .find(number)
                    .orElseThrow(() -> new CommandFailure(
                            CommandFailure.FAILED,
                            "there is no recorded fault " + number
                                    + ", or no longer; `bulwark evidence list` shows them"));
            if (isSigned(evidence)) {
                proof = client.faults().proof(number);
            }
        }
        if (proof == null) {
            access.global().print(EvidenceText.EvidenceView.of(evidence), EvidenceText.unsigned(evidence));
            return 0;
        }
        // The replicas agree on the record: they make an entry once f + 1 nodes report.
        OptionalInt faults = proof.faulty().isPresent()
                ? OptionalInt.empty()
                : OptionalInt.of(evidence.reports().size() - 1);
        return print(access, proof, genesis(access.genesis()), faults);
    }

    @Command(
            name = "export",
            description = {
                "Write the proof of a recorded fault to a file.",
                "`bulwark evidence verify` checks it without the cluster. Needs the right to administer."
            })
    int export(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "NUMBER", description = "As `bulwark evidence list` shows it.") long number,
            @Parameters(
                            paramLabel = "FILE",
                            arity = "0..1",
                            description = "Output file (default: evidence-NUMBER.txt in the current directory).")
                    @Nullable
                    Path file)
            throws IOException {
        Path target = file == null ? Path.of("evidence-" + number + ".txt") : file;
        byte[] content;
        try (Bulwark client = access.connect()) {
            content = client.faults().export(number);
        }
        OutputFile.write(target, out -> {
            out.write(content);
            return content;
        });
        if (OutputFile.isStandardOutput(target)) {
            return 0;
        }
        access.global()
                .print(
                        new ExportView(number, target.toString(), content.length),
                        "Wrote " + target + ". Check it anywhere with `bulwark evidence verify " + target
                                + " --genesis genesis.properties`.");
        return 0;
    }

    @Command(
            name = "verify",
            description = {
                "Check an exported file step by step, without any connection.",
                "Trust only the genesis file. Exit code 1 if the file proves nothing."
            })
    int verify(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "FILE", description = "File of `bulwark evidence export`.") Path file,
            @Option(
                            names = "--genesis",
                            paramLabel = "FILE",
                            description = "Genesis file (default: that of the client configuration).")
                    @Nullable
                    Path genesis,
            @Option(
                            names = "--faults",
                            paramLabel = "F",
                            description = "Nodes of a placement group that may be faulty, so that F + 1 must report "
                                    + "(default: what the operator of the volume signed).")
                    @Nullable
                    Integer faults)
            throws IOException {
        if (faults != null && faults < 1) {
            throw new CommandFailure(CommandFailure.USAGE, "--faults is 1 or more");
        }
        requireFile(file);
        if (genesis != null) {
            requireFile(genesis);
        }
        GenesisKeys trusted = genesis(genesis == null ? access.genesis() : genesis);
        EvidenceProof proof;
        try {
            proof = EvidenceFile.read(content(file));
        } catch (MalformedException e) {
            String problem = EvidenceText.problem(e);
            access.global()
                    .print(
                            new MalformedView(false, problem),
                            "NOT VALID: this is no whole and unchanged file of `bulwark evidence export`: " + problem);
            return CommandFailure.FAILED;
        }
        return print(access, proof, trusted, faults == null ? OptionalInt.empty() : OptionalInt.of(faults));
    }

    private static int print(ClusterAccess access, EvidenceProof proof, GenesisKeys genesis, OptionalInt faults) {
        EvidenceVerification.Outcome outcome = EvidenceVerification.of(genesis, proof, faults);
        access.global().print(EvidenceText.ProofView.of(proof, outcome), EvidenceText.of(proof, outcome));
        return outcome.isValid() ? 0 : CommandFailure.FAILED;
    }

    private static boolean isSigned(Evidence evidence) {
        return evidence.reports().stream().allMatch(report -> report.approval().isPresent());
    }

    private static GenesisKeys genesis(Path file) {
        return GenesisFile.load(file).genesisKeys();
    }

    private static void requireFile(Path file) {
        if (!Files.exists(file)) {
            throw new CommandFailure(CommandFailure.USAGE, "there is no file " + file);
        }
    }

    /** Returns no more than what tells that the file is too long. */
    private static byte[] content(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(EvidenceFile.BYTES_MAX + 1);
        }
    }

    private record ExportView(long number, String file, int bytes) {}

    private record MalformedView(boolean valid, String problem) {}
}
