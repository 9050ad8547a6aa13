package org.apache.doris.flink;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

import org.apache.doris.flink.source.DorisSource;
import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.PublicEvolving;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What each package may know of the others, and which types users may build on. */
class LayersTest {

    private static final String ROOT = "org.apache.doris.flink";

    /** Of the connector alone: what the tests run against, without the tests. */
    private static final JavaClasses CONNECTOR =
            new ClassFileImporter()
                    .importUrl(
                            DorisSource.class.getProtectionDomain().getCodeSource().getLocation());

    /**
     * Enums that the public API fixes in the packages of source and sink, and that the options
     * objects below these take: they are words, and know nothing of the packages they stand in.
     */
    private static final DescribedPredicate<JavaClass> WORDS =
            describe("public words", type -> isWord(type.getBaseComponentType()));

    /** Every type that a job may name; all others may change with any release. */
    private static final Set<String> FOR_USERS =
            Set.of(
                    "catalog.DorisCatalogFactory",
                    "cfg.DorisConnectionOptions",
                    "cfg.DorisExecutionOptions",
                    "cfg.DorisOptions",
                    "cfg.DorisReadOptions",
                    "cfg.DorisTlsOptions",
                    "deserialization.DorisDeserializationSchema",
                    "deserialization.RowDataDeserializationSchema",
                    "deserialization.SimpleListDeserializationSchema",
                    "deserialization.converter.DorisRowConverter",
                    "sink.DorisSink",
                    "sink.batch.RecordWithMeta",
                    "sink.schema.SchemaChangeMode",
                    "sink.writer.LoadConstants",
                    "sink.writer.WriteMode",
                    "sink.writer.serializer.DorisRecord",
                    "sink.writer.serializer.DorisRecordSerializer",
                    "sink.writer.serializer.JsonDebeziumSchemaSerializer",
                    "sink.writer.serializer.RecordWithMetaSerializer",
                    "sink.writer.serializer.RowDataSerializer",
                    "sink.writer.serializer.SimpleStringSerializer",
                    "source.DorisBinlogIncrementType",
                    "source.DorisChangelogIncrementType",
                    "source.DorisSource",
                    "source.DorisSourceScanMode",
                    "source.reader.DorisSourceRecord",
                    "tools.cdc.DorisTableConfig",
                    "tools.cdc.converter.TableNameConverter");

    /** From the ground up; each names those below that it may know. */
    private static final List<Room> ROOMS =
            List.of(
                    new Room("error", in("error"), ""),
                    new Room("types", in("types"), ""),
                    new Room("state", in("state"), ""),
                    new Room("arrow", in("arrow.."), "error"),
                    new Room("jni", in("jni"), "error arrow"),
                    new Room("option", in("config.option"), ""),
                    new Room("config", in("config"), "option jni state"),
                    new Room("rule", in("config.rule"), "option config"),
                    new Room("plan", in("config.plan"), "option config rule types"),
                    new Room("words", WORDS, "config"),
                    new Room("cfg", in("cfg"), "option words config"),
                    new Room("source.*", inside("source"), "error state arrow jni config"),
                    new Room("deserialization", in("deserialization.."), "source.*"),
                    new Room(
                            "source",
                            in("source"),
                            "config plan words cfg source.* deserialization"),
                    new Room("tools", in("tools.."), ""),
                    new Room(
                            "sink.*",
                            inside("sink"),
                            "error state arrow jni config words cfg tools"),
                    new Room("sink", in("sink"), "option config plan words cfg sink.*"),
                    new Room(
                            "table",
                            in("table"),
                            "types option config rule plan source sink.* sink"),
                    new Room("catalog", in("catalog"), "option"));

    @Test
    void eachRoomKnowsOnlyThoseBelow() {
        LayeredArchitecture house =
                layeredArchitecture()
                        .consideringOnlyDependenciesInLayers()
                        .ensureAllClassesAreContainedInArchitecture();
        Set<String> below = new LinkedHashSet<>();
        for (Room room : ROOMS) {
            assertThat(below).containsAll(room.mayKnow);
            below.add(room.name);
            house = house.layer(room.name).definedBy(room.types);
        }
        for (Room room : ROOMS) {
            List<String> known = new ArrayList<>(room.mayKnow);
            known.add(room.name);
            house = house.whereLayer(room.name).mayOnlyAccessLayers(known.toArray(new String[0]));
        }
        house.check(CONNECTOR);
    }

    /** Every package for itself, those inside source and sink as well. */
    @Test
    void noPackagesFormACircle() {
        slices().assignedFrom(new Packages())
                .namingSlices("$1")
                .should()
                .beFreeOfCycles()
                .check(CONNECTOR);
    }

    @Test
    void sourceAndSinkDoNotKnowEachOther() {
        noClasses()
                .that(resideInAPackage(ROOT + ".source..").and(not(WORDS)))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(ROOT + ".sink..", ROOT + ".table..")
                .check(CONNECTOR);
        noClasses()
                .that(resideInAPackage(ROOT + ".sink..").and(not(WORDS)))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(ROOT + ".source..", ROOT + ".table..")
                .check(CONNECTOR);
    }

    @Test
    void everyPublicTypeSaysWhetherItIsForUsers() {
        classes()
                .that()
                .areTopLevelClasses()
                .and()
                .arePublic()
                .should()
                .beAnnotatedWith(PublicEvolving.class)
                .orShould()
                .beAnnotatedWith(Internal.class)
                .check(CONNECTOR);
        Set<String> forUsers =
                CONNECTOR.stream()
                        .filter(type -> type.isAnnotatedWith(PublicEvolving.class))
                        .map(type -> type.getName().substring(ROOT.length() + 1))
                        .collect(Collectors.toSet());
        assertThat(forUsers).isEqualTo(FOR_USERS);
        assertThat(FOR_USERS)
                .allSatisfy(
                        name ->
                                assertThat(CONNECTOR.get(ROOT + '.' + name).getModifiers())
                                        .contains(JavaModifier.PUBLIC));
    }

    private static boolean isWord(JavaClass type) {
        return type.isEnum()
                && type.getPackageName().startsWith(ROOT)
                && type.isAnnotatedWith(PublicEvolving.class);
    }

    private static DescribedPredicate<JavaClass> in(String room) {
        return resideInAPackage(ROOT + '.' + room).and(not(WORDS));
    }

    /** In the packages inside, not in the one itself. */
    private static DescribedPredicate<JavaClass> inside(String room) {
        return resideInAnyPackage(ROOT + '.' + room + ".*..").and(not(WORDS));
    }

    /** Types that stand together, and the names of what they may know. */
    private static final class Room {

        private final String name;
        private final DescribedPredicate<JavaClass> types;
        private final List<String> mayKnow;

        Room(String name, DescribedPredicate<JavaClass> types, String mayKnow) {
            this.name = name;
            this.types = types;
            this.mayKnow = mayKnow.isEmpty() ? List.of() : List.of(mayKnow.split(" "));
        }
    }

    /** A slice per package; the words are one of their own. */
    private static final class Packages implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(
                    WORDS.test(type) ? WORDS.getDescription() : type.getPackageName());
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    }
}
