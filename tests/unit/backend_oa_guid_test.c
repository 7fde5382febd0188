/*
 * Sets of Intel's observation unit by their UUIDs: every published one is found, none stands twice, and each set of our own
 * has one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/intel/oa.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* RenderBasic, ComputeBasic, TestOa. */
static const struct {
    unsigned platform, gt;
    const char *uuid[3];
} published[] = {
    {OA_HSW,
     0,
     {"a490e9d2-55b3-4db0-8dab-53011032c5f3", "b344c8cb-a291-4cbf-aa9c-b40213bfc96f", NULL}},
    {OA_BDW,
     0,
     {"b541bd57-0e0f-4154-b4c0-5858010a2bf7", "35fbc9b2-a891-40a6-a38d-022bb7057552",
      "d6de6f55-e526-4f79-a6a6-d7315c09044e"}},
    {OA_CHV,
     0,
     {"9d8a3af5-c02c-4a4a-b947-f1672469e0fb", "f522a89c-ecd1-4522-8331-3383c54af5f5",
      "4a534b07-cba3-414d-8d60-874830e883aa"}},
    {OA_SKL,
     2,
     {"07b25942-d9fd-4fce-bd58-e29abd66b7de", "00b80b4c-d215-4378-9015-da3dda3b61ea",
      "c5384091-ce4c-406c-ab4d-4c530f71c7ae"}},
    {OA_SKL,
     3,
     {"21fef15a-83f4-4ffa-bb81-7da6e38b8e4b", "4320492b-fd03-42ac-922f-dbe1ef3b7b58",
      "14cadcfd-fb3a-46a3-8c13-0a4f850a4b18"}},
    {OA_SKL,
     4,
     {"95322a71-bb05-4437-bc27-f7dd7b27d136", "7277228f-e7f3-4743-945a-6a2049d11377",
      "c1c2d40e-652a-482c-98fc-28bdb7c6ee44"}},
    {OA_BXT,
     0,
     {"22b9519a-e9ba-4c41-8b54-f4f8ca14fa0a", "012d72cf-82a9-4d25-8ddf-74076fd30797",
      "5ee72f5c-092f-421e-8b70-225f7c3e9612"}},
    {OA_GLK,
     0,
     {"d72df5c7-5b4a-4274-a43f-00b0fd51fc68", "814285f6-354d-41d2-ba49-e24e622714a0",
      "dd3fd789-e783-4204-8cd0-b671bbccb0cf"}},
    {OA_KBL,
     2,
     {"99c1a40e-a090-4354-86e3-4d068bb1917e", "12994724-3a5a-4303-bb3c-ba0175d2c200",
      "cd4b577b-073a-423f-a948-e198dd818c71"}},
    {OA_KBL,
     3,
     {"17b4f3e0-d578-4ae3-b7a8-98d756d1e0df", "a5dc0bc5-d6fa-4f3a-9979-d3248c786042",
      "bb3344bf-2551-40f7-b75f-cbf29e4195f7"}},
    {OA_CFL,
     2,
     {"7fa796a4-0c7a-4201-afc6-cff0b2f528a2", "a4985100-5f76-4822-8ca7-67908cb26274",
      "d3c99326-e161-4e44-9745-7772bdc579c5"}},
    {OA_CFL,
     3,
     {"b316bcab-212f-4228-97de-af6b5a1a2ea1", "d2eec5b1-4dd8-4170-ae83-9531abd0692f",
      "f240ef8d-4a2e-4961-a63c-cc43b01ed923"}},
    {OA_CNL,
     0,
     {"2d975e19-7130-41d2-b06f-79d74f91e7c8", "0b128ae2-ed06-481e-afe3-2404aab91415",
      "99517a69-b9a7-4124-8f59-06645ea13187"}},
    {OA_ICL,
     0,
     {"e3cd52cf-c6b0-4019-b369-3bc9c75a0cbc", "04546170-d541-4804-96f8-007a454a3f2c",
      "e617cfd5-6cc5-4143-8994-cd36cebb921f"}},
    {OA_EHL,
     0,
     {"c693e665-867f-4362-91b6-85337f932010", "ae4d01a9-fe55-453c-8c7a-036acd5eacff",
      "4cbcfaf7-3c0c-42b8-a324-b1e58329c732"}},
    {OA_TGL,
     1,
     {"c17af13d-3953-432b-9bd1-81346b4c2092", "79a0514e-40d7-437a-90cf-33e02857adc6",
      "6f27aaed-4f08-4e0f-95a9-231d9b4fa111"}},
    {OA_TGL,
     2,
     {"0fc397c0-4833-492c-9ccd-4929d574d5b8", "397a46d9-03dd-4696-8196-270362e1c575",
      "6607f034-d053-40d1-8215-67c07f3041bb"}},
    {OA_RKL,
     0,
     {"5b492c36-73f7-4827-83b3-c6863697ec51", "09740672-ccc3-48da-a5bc-64994fe3a0a7",
      "74dbc739-d871-41b5-be7b-fb547ac5bec9"}},
    {OA_DG1,
     0,
     {"1caf6b6d-a1ef-40d3-9033-311e482b826e", "e347a2bd-079d-4a77-b546-c3c114c55bae",
      "23f51139-6973-4b45-a211-778834ce2c9a"}},
    {OA_ADL,
     0,
     {"4b886bf3-61ff-4381-9994-ac9b91202fc7", "eb6a0ef8-4e8f-41fa-85ba-686835711f6b",
      "89173c19-fcfe-48da-ac26-fb64425f141b"}},
    {OA_DG2,
     1,
     {"f5b8f05e-c84c-4f1c-bb05-68fbea73879b", "53ee6271-905c-4b2a-b449-9117ffd10a48",
      "57f210de-b537-464a-af7b-7dfe2f3780c1"}},
    {OA_DG2,
     2,
     {"0692a728-614d-4d12-8c03-7b3ffe961ef8", "ccde9a29-a5c5-4a9e-b7f5-ec1092387e2a",
      "cfac9130-4f6a-4a2a-aafc-9e88751ce983"}},
    {OA_DG2,
     3,
     {"47b237c5-ed48-465b-b869-0d7ef59a6982", "1643fb69-a674-4438-8b44-840e988877bd",
      "7389b9c9-de73-468d-83a8-b27776215e6b"}},
    {OA_MTL,
     2,
     {"232e858b-7116-44e8-a4be-856c59026650", "fea2b2b7-a072-41c5-9092-2d7c48bb56c6",
      "d0ed8afd-ad64-4774-8788-1a15f4ab7829"}},
    {OA_MTL,
     3,
     {"1124d1b6-6182-4b5a-950b-27b38ef7c996", "522743d7-4e01-461a-8600-7904e8ddc80c",
      "7272a7b8-6df2-4180-a95f-2ef7ad4412cc"}},
};

/* The test sets that kernels 4.14 to 5.7 brought with them. */
static const struct {
    unsigned platform, gt;
    const char *uuid;
} built_in[] = {
    {OA_HSW, 0, "403d8832-1a27-4aa6-a64e-f5389ce7b212"},
    {OA_BDW, 0, "d6de6f55-e526-4f79-a6a6-d7315c09044e"},
    {OA_CHV, 0, "4a534b07-cba3-414d-8d60-874830e883aa"},
    {OA_SKL, 2, "1651949f-0ac0-4cb1-a06f-dafd74a407d1"},
    {OA_SKL, 3, "2b985803-d3c9-4629-8a4f-634bfecba0e8"},
    {OA_SKL, 4, "882fa433-1f4a-4a67-a962-c741888fe5f5"},
    {OA_BXT, 0, "5ee72f5c-092f-421e-8b70-225f7c3e9612"},
    {OA_KBL, 2, "baa3c7e4-52b6-4b85-801e-465a94b746dd"},
    {OA_KBL, 3, "f1792f32-6db2-4b50-b4b2-557128f1688d"},
    {OA_GLK, 0, "dd3fd789-e783-4204-8cd0-b671bbccb0cf"},
    {OA_CFL, 2, "74fb4902-d3d3-4237-9e90-cbdc68d0a446"},
    {OA_CFL, 3, "577e8e2c-3fa0-4875-8743-3538d585e3b0"},
    {OA_CNL, 0, "db41edd4-d8e7-4730-ad11-b9a2d6833503"},
    {OA_ICL, 0, "a291665e-244b-4b76-9b9a-01de9d3c8068"},
    {OA_TGL, 0, "80a833f0-2504-4321-8894-e9277844ce7b"},
};

static void is_known(const char *uuid, unsigned platform, unsigned set, unsigned gt) {
    const struct oa_guid *g = oa_guid_find(span_of(uuid));
    assert_non_null(g);
    assert_string_equal(g->uuid, uuid);
    assert_int_equal(g->platform, platform);
    assert_int_equal(g->set, set);
    assert_int_equal(g->gt, gt);
}

static void test_every_published_one_is_found(void **state) {
    (void)state;
    static const unsigned sets[] = {OA_SET_RENDER_BASIC, OA_SET_COMPUTE_BASIC, OA_SET_TEST_OA};
    bool seen[OA_PLATFORMS] = {false};
    for (size_t i = 0; i < COUNT(published); i++) {
        for (size_t k = 0; k < COUNT(sets); k++) {
            if (published[i].uuid[k])
                is_known(published[i].uuid[k], published[i].platform, sets[k], published[i].gt);
        }
        seen[published[i].platform] = true;
    }
    for (size_t i = 0; i < COUNT(built_in); i++)
        is_known(built_in[i].uuid, built_in[i].platform, OA_SET_TEST_OA, built_in[i].gt);
    for (unsigned p = OA_UNKNOWN + 1; p < OA_PLATFORMS; p++)
        assert_true(seen[p]);
}

static bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static void has_form(const char *uuid) {
    assert_int_equal(strlen(uuid), 36);
    for (size_t i = 0; i < 36; i++) {
        if (i == 8 || i == 13 || i == 18 || i == 23)
            assert_int_equal(uuid[i], '-');
        else
            assert_true(is_hex(uuid[i]));
    }
}

static void test_each_has_its_form_and_stands_once(void **state) {
    (void)state;
    size_t n = 0;
    for (; oa_guid_at(n); n++) {
        const struct oa_guid *g = oa_guid_at(n);
        has_form(g->uuid);
        assert_in_range(g->platform, OA_UNKNOWN + 1, OA_PLATFORMS - 1);
        assert_in_range(g->set, OA_SET_RENDER_BASIC, OA_SET_SMALL);
        for (size_t k = 0; k < n; k++)
            assert_string_not_equal(oa_guid_at(k)->uuid, g->uuid);
    }
    assert_true(n > 80);
    assert_null(oa_guid_at(n));
    assert_null(oa_guid_at(SIZE_MAX));
}

static void test_what_is_not_one(void **state) {
    (void)state;
    static const char *const not [] = {
        "",
        "a490e9d2-55b3-4db0-8dab-53011032c5f",
        "a490e9d2-55b3-4db0-8dab-53011032c5f33",
        "a490e9d2-55b3-4db0-8dab-53011032c5f4",
        " a490e9d2-55b3-4db0-8dab-53011032c5f3",
        "00000000-0000-0000-0000-000000000000",
    };
    for (size_t i = 0; i < COUNT(not ); i++)
        assert_null(oa_guid_find(span_of(not [i])));
    assert_null(oa_guid_find((struct span){"a490e9d2-55b3-4db0-8dab-53011032c5f3", 35}));
    char nul[36] = {0};
    assert_null(oa_guid_find((struct span){nul, sizeof(nul)}));
    assert_non_null(oa_guid_find(span_of("A490E9D2-55B3-4DB0-8DAB-53011032C5F3")));
}

/* ---- our own --------------------------------------------------------------------------------- */

static bool has(const struct oa_register *list, uint32_t n, uint32_t address, uint32_t value) {
    for (uint32_t i = 0; i < n; i++) {
        if (list[i].address == address)
            return list[i].value == value;
    }
    return false;
}

static void test_small_sets(void **state) {
    (void)state;
    static const struct {
        unsigned platform;
        uint32_t booleans, flexes;
    } small[] = {
        {OA_BDW, 5, 7},  {OA_SKL, 5, 7},  {OA_KBL, 5, 7}, {OA_CFL, 5, 7}, {OA_ICL, 5, 6},
        {OA_TGL, 14, 7}, {OA_ADL, 14, 7}, {OA_DG2, 8, 5}, {OA_MTL, 8, 5},
    };
    bool with[OA_PLATFORMS] = {false};
    struct oa_small s;
    for (size_t i = 0; i < COUNT(small); i++) {
        enum oa_platform p = (enum oa_platform)small[i].platform;
        with[p] = true;
        assert_true(oa_small_set(p, &s));
        assert_int_equal(s.boolean_count, small[i].booleans);
        assert_int_equal(s.flex_count, small[i].flexes);
        is_known(oa_small_uuid(p), p, OA_SET_SMALL, 0);
    }
    for (unsigned p = 0; p < OA_PLATFORMS + 2; p++) {
        if (p < OA_PLATFORMS && with[p])
            continue;
        assert_false(oa_small_set((enum oa_platform)p, &s));
        assert_null(oa_small_uuid((enum oa_platform)p));
        assert_int_equal(s.boolean_count + s.flex_count, 0);
    }
}

static void test_small_registers(void **state) {
    (void)state;
    struct oa_small s;
    oa_small_set(OA_BDW, &s);
    assert_true(has(s.boolean, s.boolean_count, 0x2714, 0x00800000));
    assert_true(has(s.boolean, s.boolean_count, 0x2740, 0));
    assert_true(has(s.flex, s.flex_count, 0xe458, 0x00005004));
    assert_true(has(s.flex, s.flex_count, 0xe65c, 0x00055054));
    oa_small_set(OA_CFL, &s);
    assert_true(has(s.flex, s.flex_count, 0xe65c, 0x00222222));
    assert_true(has(s.flex, s.flex_count, 0xe55c, 0x00053052));
    oa_small_set(OA_ICL, &s);
    assert_true(has(s.flex, s.flex_count, 0xe65c, 0xffffffff));
    assert_true(has(s.flex, s.flex_count, 0xe758, 0x00051050));
    oa_small_set(OA_ADL, &s);
    assert_true(has(s.boolean, s.boolean_count, 0xd904, 0x30800000));
    assert_true(has(s.boolean, s.boolean_count, 0xdc40, 0x00030000));
    assert_true(has(s.boolean, s.boolean_count, 0xdc0c, 0xfff3));
    assert_true(has(s.flex, s.flex_count, 0xe558, 0x00a04904));
    oa_small_set(OA_DG2, &s);
    assert_true(has(s.boolean, s.boolean_count, 0x2b2c, 0));
    assert_true(has(s.flex, s.flex_count, 0xe45c, 0x00052051));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_published_one_is_found),
        cmocka_unit_test(test_each_has_its_form_and_stands_once),
        cmocka_unit_test(test_what_is_not_one),
        cmocka_unit_test(test_small_sets),
        cmocka_unit_test(test_small_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
