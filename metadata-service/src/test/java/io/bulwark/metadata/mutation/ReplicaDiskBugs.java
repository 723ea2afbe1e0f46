package io.bulwark.metadata.mutation;

import static io.bulwark.protocol.mutation.Detector.metadata;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with the pages and promises of a replica when its files rot. */
final class ReplicaDiskBugs {
    static final List<PlantedBug> ALL = List.of(
            pages(
                    "pages/RocksPageStore",
                    "a page that cannot be read is not written over",
                    "aPageThatCannotBeReadIsAbsentListedWrittenOverAndRemoved",
                    "} catch (RocksDBException e) { unreadable.incrementAndGet(); return true; }",
                    "} catch (RocksDBException e) { throw failed(\"\", e); }"),
            pages(
                    "pages/RocksPageStore",
                    "a page that is written over belongs to no checkpoint",
                    "aPageThatCannotBeReadIsAbsentListedWrittenOverAndRemoved",
                    "} catch (RocksDBException e) { unreadable.incrementAndGet(); return true; }",
                    "} catch (RocksDBException e) { unreadable.incrementAndGet(); return false; }"),
            pages(
                    "pages/RocksPageStore",
                    "pages behind one that cannot be read are not listed",
                    "pagesThatCannotBeReadDoNotHoldUpTheFetchOfAnotherState",
                    "last = unreadableAbove(last, e); at.seek(keyAbove(last));",
                    "break;"),
            pages(
                    "pages/RocksPageStore",
                    "tables are not read when the store is opened",
                    "whateverRotsInTheFilesWithoutPagesIsFoundAndThePagesStay",
                    "db.verifyChecksum();",
                    ""),
            pages(
                    "pages/RocksPageStore",
                    "a store that finds damage is left open",
                    "whateverRotsInTheFilesWithoutPagesIsFoundAndThePagesStay",
                    "store.close(); throw failure(",
                    "throw failure("),
            pages(
                    "pages/Manifest",
                    "a store without CURRENT is an empty one",
                    "aStoreWithoutCurrentIsNotTakenForAnEmptyOne",
                    "return !hasFiles(directory);",
                    "return true;"),
            pages(
                    "pages/Manifest",
                    "a list of files with a wrong checksum is right",
                    "aManifestThatRotsAnywhereIsFoundBeforeRocksDbReadsIt",
                    "!= in.getInt(at)) { return false; }",
                    "!= in.getInt(at)) { at += 0; }"),
            pages(
                    "pages/RocksPageStore",
                    "damage that RocksDB meets by itself is forgotten with the life",
                    "whatRotsWhereRocksDbReadsByItselfEndsOneLifeOnly",
                    "if (failure instanceof DamagedException) {",
                    "if (false) {"),
            pages(
                    "pages/PageSalvage",
                    "what is only in logs is not kept",
                    "aManifestThatRotsCostsNoPage",
                    "for (Path log : files(damaged, \".log\")) {",
                    "for (Path log : List.<Path>of()) {"),
            pages(
                    "pages/PageSalvage",
                    "a salvage that was interrupted is not taken back",
                    "aSalvageThatWasInterruptedBeginsAnew",
                    "if (!Files.exists(directory) && Files.exists(aside(directory))) {",
                    "if (false) {"),
            pages(
                    "pages/BlobScan",
                    "what is behind a damaged record is not looked at",
                    "pagesBeforeAndBehindOneThatIsRottenInABlobFileStay",
                    "return true; } at++; }",
                    "return true; } return false; }"),
            bug(
                    "bft/Effects",
                    "what comes behind damage is not carried out",
                    "bft.EffectsTest",
                    "whatComesBehindAnEffectThatMeetsDamageIsCarriedOut",
                    "damage = e;",
                    "throw e;"),
            bug(
                    "log/PromiseLog",
                    "promises may be missing between others",
                    "log.PromiseLogTest",
                    "aPromiseThatDoesNotFollowTheLastIsRefused",
                    "if (index != handedOver + 1) {",
                    "if (index <= handedOver) {"),
            bug(
                    "bft/FoundState",
                    "a state that cannot be read is thrown away",
                    "BftDamageTest",
                    "allReplicasLoseADifferentPageAndNothingIsLost",
                    "store.write(new PageBatch( Map.of(), Map.of(), List.of(),",
                    "java.util.List<io.bulwark.protocol.wire.Bytes> all = new java.util.ArrayList<>();"
                            + " store.forEach(all::add);"
                            + " store.write(new PageBatch(Map.of(), Map.of(), all,"));

    private ReplicaDiskBugs() {}

    private static PlantedBug pages(String file, String name, String test, String right, String wrong) {
        return bug(file, name, "pages.PageRotTest", test, right, wrong);
    }

    private static PlantedBug bug(String file, String name, String testClass, String test, String right, String wrong) {
        return new PlantedBug(name, "metadata/" + file, metadata(testClass, test), right, wrong);
    }
}
